// Draws windows.
#include "core/samplers/windows.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/columns/window_pool.hpp"
#include "core/stopping.hpp"

namespace silvan {
namespace {

struct WeightedBox {
    Box box;
    float coefficient;
};

class WindowSampler final : public ProjectionSampler {
public:
    WindowSampler(const WindowOptions& options, const AliasTable& channels, std::int64_t n_features)
        : options_(options), channels_(channels), n_features_(n_features) {}

    void sample(const NodeContext& node, std::int64_t n_directions, Random& random, ProjectionBatch& batch) override {
        const WindowPool* pool = node.columns == nullptr ? nullptr : node.columns->window_pool();
        if (pool != nullptr) {
            choose(*pool, n_directions, random, batch);
            return;
        }
        for (std::int64_t i = 0; i < n_directions; ++i) {
            const bool is_whole = options_.whole_probability > 0.0 && random.uniform() < options_.whole_probability;
            Window window = draw_window(is_whole, random);
            const std::vector<PatchAxis>& axes = options_.channels[static_cast<std::size_t>(window.channel)];
            if (is_whole) {
                boxes_.assign(1, {whole_box(axes), 1.0F});
            } else {
                draw_boxes(axes, random);
            }
            throw_if_stopped(100);
            for (const WeightedBox& drawn : boxes_) {
                window.box = drawn.box;
                batch.add_window(n_features_, window, drawn.coefficient);
            }
            batch.end_direction();
        }
    }

    std::unique_ptr<ProjectionSampler> copy() const override { return std::make_unique<WindowSampler>(*this); }

private:
    // Directions of the pool, without replacement.
    void choose(const WindowPool& pool, std::int64_t n_directions, Random& random, ProjectionBatch& batch) {
        if (!numbers_) numbers_.emplace(pool.size());
        chosen_.resize(static_cast<std::size_t>(std::min(n_directions, pool.size())));
        numbers_->draw(static_cast<std::int64_t>(chosen_.size()), random, chosen_.data());
        const WindowDirections& drawn = pool.directions();
        for (const std::int32_t number : chosen_) {
            const auto direction = static_cast<std::size_t>(number);
            for (std::int64_t k = drawn.indptr[direction]; k < drawn.indptr[direction + 1]; ++k) {
                const auto term = static_cast<std::size_t>(k);
                batch.add_window(n_features_, drawn.windows[term], drawn.coefficients[term]);
            }
            batch.end_direction();
        }
    }

    // All but the box.
    Window draw_window(bool is_whole, Random& random) const {
        Window window;
        window.channel = static_cast<std::int32_t>(channels_.draw(random));
        window.n_axes = static_cast<std::uint8_t>(options_.channels.front().size());
        const std::size_t n = options_.statistics.size();
        window.statistic = options_.statistics[n == 1 ? 0 : random.below(n)];
        const bool may_shift = !is_whole && options_.max_shift > 0 && window.statistic == WindowStatistic::mean;
        if (may_shift && random.uniform() < options_.shift_probability) {
            const std::int64_t step = draw_between(random, 1, options_.max_shift);
            window.shift = static_cast<std::int8_t>(random.below(2) == 0 ? step : -step);
        }
        return window;
    }

    void draw_boxes(const std::vector<PatchAxis>& axes, Random& random) {
        std::array<Span, kMaxWindowAxes> spans{};
        for (std::size_t a = 0; a < axes.size(); ++a) spans[a] = draw_span(axes[a], random);
        boxes_.clear();
        const Box first = box_of(axes, spans);
        boxes_.push_back({first, 1.0F});
        for (std::int64_t k = 1; k < options_.n_patches; ++k) {
            std::array<Span, kMaxWindowAxes> near{};
            for (std::size_t a = 0; a < axes.size(); ++a) near[a] = draw_near(axes[a], spans[a], random);
            add_box(box_of(axes, near), k % 2 == 0 ? 1.0F : -1.0F);
        }
        std::erase_if(boxes_, [](const WeightedBox& drawn) { return drawn.coefficient == 0.0F; });
        if (boxes_.empty()) boxes_.push_back({first, 1.0F});
    }

    void add_box(const Box& box, float coefficient) {
        const auto same =
            std::find_if(boxes_.begin(), boxes_.end(), [&](const WeightedBox& drawn) { return drawn.box == box; });
        if (same == boxes_.end()) {
            boxes_.push_back({box, coefficient});
        } else {
            same->coefficient += coefficient;
        }
    }

    static Box box_of(const std::vector<PatchAxis>& axes, const std::array<Span, kMaxWindowAxes>& spans) {
        Box box;
        for (std::size_t a = 0; a < axes.size(); ++a) {
            const std::int64_t end = spans[a].start + spans[a].size;
            const bool wraps = axes[a].boundary == Boundary::wrap;
            box.start[a] = static_cast<std::int32_t>(std::max<std::int64_t>(0, spans[a].start));
            box.end[a] = static_cast<std::int32_t>(wraps ? end : std::min(axes[a].length, end));
        }
        return box;
    }

    static Box whole_box(const std::vector<PatchAxis>& axes) {
        Box box;
        for (std::size_t a = 0; a < axes.size(); ++a) {
            box.start[a] = 0;
            box.end[a] = static_cast<std::int32_t>(axes[a].length);
        }
        return box;
    }

    const WindowOptions& options_;
    const AliasTable& channels_;
    std::int64_t n_features_;
    std::vector<WeightedBox> boxes_;
    std::optional<PartialShuffle> numbers_;  // of a pool's directions
    std::vector<std::int32_t> chosen_;
};

}  // namespace

Windows::Windows(WindowOptions options) : options_(std::move(options)), channels_(options_.weights) {
    for (const std::vector<PatchAxis>& axes : options_.channels) {
        std::int64_t n_cells = 1;
        for (const PatchAxis& axis : axes) n_cells *= axis.length;
        n_features_ += n_cells;
    }
}

ColumnDescription Windows::columns() const {
    ColumnDescription columns;
    WindowDescription& windows = columns.windows;
    const std::size_t n_axes = options_.channels.front().size();
    windows.max_size.assign(n_axes, 1);
    for (const std::vector<PatchAxis>& axes : options_.channels) {
        for (std::size_t a = 0; a < n_axes; ++a) {
            windows.channel_shapes.push_back(axes[a].length);
            const std::int64_t longest = options_.whole_probability > 0.0 ? axes[a].length : axes[a].max_size;
            windows.max_size[a] = std::max(windows.max_size[a], longest);
        }
    }
    for (const PatchAxis& axis : options_.channels.front()) {
        windows.wraps.push_back(axis.boundary == Boundary::wrap ? 1 : 0);
    }
    for (const WindowStatistic statistic : options_.statistics) {
        windows.statistics.push_back(static_cast<std::uint8_t>(statistic));
    }
    return columns;
}

WindowDirections Windows::draw_pool(std::int64_t size, std::uint64_t seed, std::uint64_t number) const {
    Random random(stream_key(seed, number, Purpose::window_pool));
    ProjectionBatch batch;
    make_sampler(random)->sample(NodeContext{}, size, random, batch);
    return {std::move(batch.indptr), std::move(batch.coefficients), std::move(batch.windows)};
}

std::unique_ptr<ProjectionSampler> Windows::make_sampler(Random&) const {
    return std::make_unique<WindowSampler>(options_, channels_, n_features_);
}

}  // namespace silvan
