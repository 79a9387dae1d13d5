// The classes that occur among some samples, numbered from 0 in ascending order of their codes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "core/training_targets.hpp"

namespace silvan {

// Puts so many classes, two or more, into two groups, 0 and 1, uniformly among all ways that leave none empty. The
// first class is always in group 0.
inline void draw_groups(std::size_t n_classes, Random& random, std::vector<double>& group) {
    group.assign(n_classes, 0.0);
    if (n_classes == 2) {
        group[1] = 1.0;
        return;
    }
    while (std::find(group.begin(), group.end(), 1.0) == group.end()) {
        for (std::size_t c = 1; c < n_classes; ++c) group[c] = static_cast<double>(random.below(2));
    }
}

class ClassNumbers {
public:
    // Reads the labels of the samples; takes time linear in them.
    void read(const TrainingTargets& targets, const std::uint32_t* samples, std::size_t n_samples) {
        number_of_code_.resize(static_cast<std::size_t>(targets.n_outputs), -1);
        codes_.clear();
        numbers_.resize(n_samples);
        for (std::size_t i = 0; i < n_samples; ++i) {
            std::int32_t& number = number_of_code_[static_cast<std::size_t>(targets.label[samples[i]])];
            if (number >= 0) continue;
            number = 0;
            codes_.push_back(targets.label[samples[i]]);
        }
        std::sort(codes_.begin(), codes_.end());
        for (std::size_t c = 0; c < codes_.size(); ++c) {
            number_of_code_[static_cast<std::size_t>(codes_[c])] = static_cast<std::int32_t>(c);
        }
        for (std::size_t i = 0; i < n_samples; ++i) {
            const std::int32_t code = targets.label[samples[i]];
            numbers_[i] = static_cast<std::size_t>(number_of_code_[static_cast<std::size_t>(code)]);
        }
        for (const std::int32_t code : codes_) number_of_code_[static_cast<std::size_t>(code)] = -1;
    }

    std::size_t n_classes() const { return codes_.size(); }
    std::size_t of_sample(std::size_t i) const { return numbers_[i]; }

private:
    std::vector<std::int32_t> number_of_code_;  // -1 between calls
    std::vector<std::int32_t> codes_;
    std::vector<std::size_t> numbers_;
};

}  // namespace silvan
