// Sizes the workspaces as LAPACK documents them.
#include "core/lapack.hpp"

#include <algorithm>

namespace silvan {

void DenseSolver::reserve(int n_work, int n_integers) {
    if (work_.size() < static_cast<std::size_t>(n_work)) work_.resize(static_cast<std::size_t>(n_work));
    if (integers_.size() < static_cast<std::size_t>(n_integers)) {
        integers_.resize(static_cast<std::size_t>(n_integers));
    }
}

bool DenseSolver::decompose_symmetric(int n, double* a, double* eigenvalues) {
    char vectors = 'V';
    char lower = 'L';
    int n_work = 1 + 6 * n + 2 * n * n;
    int n_integers = 3 + 5 * n;
    int info = 0;
    reserve(n_work, n_integers);
    lapack_.dsyevd(&vectors, &lower, &n, a, &n, eigenvalues, work_.data(), &n_work, integers_.data(), &n_integers,
                   &info);
    return info == 0;
}

bool DenseSolver::decompose(int m, int n, std::vector<double>& a, std::vector<double>& singular_values) {
    char thin = 'S';
    int rank = std::min(m, n);
    const int longest = std::max(m, n);
    int n_work = 4 * rank * rank + 7 * rank + longest;
    int info = 0;
    reserve(n_work, 8 * rank);
    singular_values.resize(static_cast<std::size_t>(rank));
    left_.resize(static_cast<std::size_t>(m) * static_cast<std::size_t>(rank));
    right_.resize(static_cast<std::size_t>(rank) * static_cast<std::size_t>(n));
    lapack_.dgesdd(&thin, &m, &n, a.data(), &m, singular_values.data(), left_.data(), &m, right_.data(), &rank,
                   work_.data(), &n_work, integers_.data(), &info);
    a.swap(left_);
    return info == 0;
}

bool DenseSolver::solve_positive_definite(int n, double* a, double* b) {
    char lower = 'L';
    int one = 1;
    int info = 0;
    lapack_.dposv(&lower, &n, &one, a, &n, b, &n, &info);
    return info == 0;
}

}  // namespace silvan
