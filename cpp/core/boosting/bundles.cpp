// Finds columns that exclude each other.
#include "core/boosting/bundles.hpp"

#include <algorithm>
#include <cstddef>

#include "core/boosting/binning.hpp"
#include "core/stopping.hpp"

namespace silvan {
namespace {

struct Bundle {
    std::vector<std::int32_t> columns;
    std::int64_t n_codes = 1;
    std::vector<std::uint64_t> others;

    bool has_room_for(const SparseColumn& column) const {
        if (n_codes + column.n_codes > kMaxCodes) return false;
        throw_if_stopped(static_cast<std::int64_t>(others.size()));
        for (std::size_t i = 0; i < others.size(); ++i) {
            if ((others[i] & column.others[i]) != 0) return false;
        }
        return true;
    }

    void add(const SparseColumn& column) {
        columns.push_back(column.column);
        n_codes += column.n_codes;
        others.resize(column.others.size());
        for (std::size_t i = 0; i < others.size(); ++i) others[i] |= column.others[i];
    }
};

}  // namespace

std::vector<std::vector<std::int32_t>> bundle_columns(const std::vector<SparseColumn>& sparse) {
    std::vector<Bundle> bundles;
    for (const SparseColumn& column : sparse) {
        const auto fits = [&](const Bundle& bundle) { return bundle.has_room_for(column); };
        auto place = std::find_if(bundles.begin(), bundles.end(), fits);
        if (place == bundles.end()) place = bundles.emplace(bundles.end());
        place->add(column);
    }
    std::vector<std::vector<std::int32_t>> lists;
    for (Bundle& bundle : bundles) {
        if (bundle.columns.size() > 1) lists.push_back(std::move(bundle.columns));
    }
    return lists;
}

}  // namespace silvan
