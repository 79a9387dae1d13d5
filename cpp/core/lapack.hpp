// The LAPACK routines behind node-fitted directions, handed in by whoever has them, and their workspaces.
#pragma once

#include <cstddef>
#include <vector>

namespace silvan {

// Function pointers with LAPACK's own arguments. They must be safe to call from several threads at once.
struct Lapack {
    // Eigenvalues and eigenvectors of a symmetric matrix.
    void (*dsyevd)(char* jobz, char* uplo, int* n, double* a, int* lda, double* w, double* work, int* lwork, int* iwork,
                   int* liwork, int* info) = nullptr;
    // Singular value decomposition.
    void (*dgesdd)(char* jobz, int* m, int* n, double* a, int* lda, double* s, double* u, int* ldu, double* vt,
                   int* ldvt, double* work, int* lwork, int* iwork, int* info) = nullptr;
    // Solution of a positive definite system.
    void (*dposv)(char* uplo, int* n, int* nrhs, double* a, int* lda, double* b, int* ldb, int* info) = nullptr;
};

// Calls LAPACK with workspaces of its own, one object per thread. Matrices are column-major; of symmetric ones
// the lower triangle is read. Every function returns false where LAPACK finds no solution.
class DenseSolver {
public:
    explicit DenseSolver(const Lapack& lapack) : lapack_(lapack) {}

    // Replaces the n x n matrix `a` by its eigenvectors; eigenvalues ascend.
    bool decompose_symmetric(int n, double* a, double* eigenvalues);

    // Replaces the m x n matrix `a` by its first min(m, n) left singular vectors (m numbers each); singular
    // values descend.
    bool decompose(int m, int n, std::vector<double>& a, std::vector<double>& singular_values);

    // Replaces `b` by the solution of a x = b, and `a` by its Cholesky factor.
    bool solve_positive_definite(int n, double* a, double* b);

private:
    void reserve(int n_work, int n_integers);

    const Lapack& lapack_;
    std::vector<double> work_;
    std::vector<int> integers_;
    std::vector<double> left_;
    std::vector<double> right_;
};

}  // namespace silvan
