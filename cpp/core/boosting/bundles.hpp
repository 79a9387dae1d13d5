// Columns that share a byte: in every sample at most one of them is outside its most frequent bin.
//
// Code 0 of the byte means that all are in it; the other bins of each column have codes of their own. A histogram of
// the byte is thus one of each column: what a column's own codes lack is in its most frequent bin. Exclusive feature
// bundling of Ke et al. 2017 without conflicts, so that trees are those of separate columns.
#pragma once

#include <cstdint>
#include <vector>

namespace silvan {

// The codes of a column in its byte; alone, it has the byte's.
struct BundlePlace {
    bool shared = false;
    std::int64_t default_bin = 0;  // the most frequent one
    std::int64_t first_code = 0;   // of its other bins, in order

    std::int64_t to_byte(std::int64_t code) const {
        if (!shared) return code;
        if (code == default_bin) return 0;
        return first_code + code - (code > default_bin ? 1 : 0);
    }
};

// A column that may share a byte.
struct SparseColumn {
    std::int32_t column = 0;
    std::int64_t n_codes = 0;           // bins besides the most frequent
    std::vector<std::uint64_t> others;  // a bit for each sample outside it
};

// Lists of columns that share a byte, at least two each. Every column joins the first list that has room for it.
std::vector<std::vector<std::int32_t>> bundle_columns(const std::vector<SparseColumn>& sparse);

}  // namespace silvan
