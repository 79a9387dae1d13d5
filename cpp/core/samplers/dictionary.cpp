// Draws atoms and copies them.
#include "core/samplers/dictionary.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/samplers/check_directions.hpp"

namespace silvan {

namespace {

class DictionarySampler final : public ProjectionSampler {
public:
    DictionarySampler(const ProjectionBatch& atoms, const AliasTable& chances) : atoms_(atoms), chances_(chances) {}

    void sample(const NodeContext&, std::int64_t n_directions, Random& random, ProjectionBatch& batch) override {
        chosen_.resize(static_cast<std::size_t>(n_directions));
        std::int64_t total = 0;
        for (std::uint32_t& atom : chosen_) {
            atom = chances_.draw(random);
            total += atoms_.indptr[atom + 1] - atoms_.indptr[atom];
        }
        const ProjectionBatch::Tail tail = batch.extend(n_directions, total);
        std::int64_t written = 0;
        for (std::size_t i = 0; i < chosen_.size(); ++i) {
            const std::int64_t begin = atoms_.indptr[chosen_[i]];
            const std::int64_t length = atoms_.indptr[chosen_[i] + 1] - begin;
            std::copy_n(atoms_.indices.data() + begin, length, tail.indices + written);
            std::copy_n(atoms_.coefficients.data() + begin, length, tail.coefficients + written);
            written += length;
            tail.ends[i] = tail.begin + written;
        }
    }

    std::unique_ptr<ProjectionSampler> copy() const override { return std::make_unique<DictionarySampler>(*this); }

private:
    const ProjectionBatch& atoms_;
    const AliasTable& chances_;
    std::vector<std::uint32_t> chosen_;
};

}  // namespace

Dictionary::Dictionary(std::int64_t n_features, ProjectionBatch atoms, const std::vector<double>& cumulative)
    : n_features_(n_features), atoms_(std::move(atoms)), chances_(probabilities_from_cumulative(cumulative)) {
    const std::string fault = find_fault({atoms_.indptr, atoms_.indices, atoms_.coefficients}, n_features_);
    if (!fault.empty()) throw std::invalid_argument("dictionary: " + fault);
    if (chances_.size() != static_cast<std::size_t>(atoms_.size())) {
        throw std::invalid_argument("dictionary: there must be one probability per atom");
    }
}

std::unique_ptr<ProjectionSampler> Dictionary::make_sampler(Random&) const {
    return std::make_unique<DictionarySampler>(atoms_, chances_);
}

}  // namespace silvan
