// Joins parts of trees: nodes and leaves in the order in which one thread would have numbered them.
#include "core/tree_parts.hpp"

#include <utility>

namespace silvan {
namespace {

class Joiner {
public:
    explicit Joiner(TreePart& part) : from_(part.arrays), others_(part.handed_over) {}

    TreeArrays join() {
        for (HandedOver& other : others_) {
            join_parts(*other.part);
            take_root(other);
        }
        for (const HandedOver& other : others_) {
            add_nodes_up_to(other.n_nodes);
            add_leaves_up_to(other.n_leaves, other.n_values);
            add_other(other.part->arrays);
        }
        add_nodes_up_to(from_.nodes.size());
        add_leaves_up_to(from_.leaves.size(), from_.values.size());
        number_children();
        std::swap(to_.members, from_.members);
        return std::move(to_);
    }

private:
    // The node as the other part knows it. Its direction is appended, and its children are found later.
    void take_root(const HandedOver& other) {
        const TreeArrays& part = other.part->arrays;
        const auto node = static_cast<std::size_t>(other.node);
        from_.nodes[node] = part.nodes[0];
    }

    // Nodes of the part itself; those of others come between them.
    void add_nodes_up_to(std::size_t last) {
        const std::size_t n = last - next_node_;
        shifts_.push_back({next_node_, to_.nodes.size() - next_node_});
        append_nodes(from_, next_node_, n);
        next_node_ = last;
    }

    void add_leaves_up_to(std::size_t last, std::size_t last_value) {
        leaf_shifts_.push_back({next_leaf_, to_.leaves.size() - next_leaf_});
        append_leaves(from_, next_leaf_, last, next_value_, last_value);
        next_leaf_ = last;
        next_value_ = last_value;
    }

    void append_nodes(const TreeArrays& part, std::size_t first, std::size_t n) {
        to_.nodes.append(part.nodes.data() + first, n);
    }

    void append_leaves(const TreeArrays& part, std::size_t first, std::size_t last, std::size_t first_value,
                       std::size_t last_value) {
        to_.leaves.append(part.leaves.data() + first, last - first);
        to_.value_outputs.append(part.value_outputs.data() + first_value, last_value - first_value);
        to_.values.append(part.values.data() + first_value, last_value - first_value);
    }

    // All nodes of another part but the first, which has its place already.
    void add_other(const TreeArrays& part) {
        others_at_.push_back({to_.nodes.size(), to_.leaves.size()});
        append_nodes(part, 1, part.nodes.size() - 1);
        append_leaves(part, 0, part.leaves.size(), 0, part.values.size());
    }

    // Children and leaves by their numbers in the whole, and directions of all parts in one list.
    void number_children() {
        std::swap(to_.direction_indices, from_.direction_indices);
        std::swap(to_.direction_coefficients, from_.direction_coefficients);
        std::swap(to_.windows, from_.windows);
        to_.first_window = from_.first_window;
        for (std::size_t i = 0; i < shifts_.size(); ++i) {
            const std::size_t end = i + 1 < shifts_.size() ? shifts_[i + 1].first : from_.nodes.size();
            for (std::size_t node = shifts_[i].first; node < end; ++node) {
                std::int32_t& left = to_.nodes[node + shifts_[i].shift].left;
                left = left >= 0 ? shifted(left, shifts_) : -1 - shifted(-1 - left, leaf_shifts_);
            }
        }
        for (std::size_t i = 0; i < others_.size(); ++i) number_other(others_[i], others_at_[i]);
    }

    struct Shift {
        std::size_t first, shift;
    };
    struct Place {
        std::size_t node, leaf;
    };

    static std::int32_t shifted(std::int32_t number, const std::vector<Shift>& shifts) {
        std::size_t i = shifts.size() - 1;
        while (shifts[i].first > static_cast<std::size_t>(number)) --i;
        return number + static_cast<std::int32_t>(shifts[i].shift);
    }

    void number_other(const HandedOver& other, const Place& at) {
        const TreeArrays& part = other.part->arrays;
        const std::int64_t first_term = append_directions(part);
        for (std::size_t node = 0; node < part.nodes.size(); ++node) {
            const std::size_t place =
                node == 0 ? static_cast<std::size_t>(shifted(other.node, shifts_)) : at.node + node - 1;
            const std::int32_t left = part.nodes[node].left;
            to_.nodes[place].left =
                left >= 0 ? left - 1 + static_cast<std::int32_t>(at.node) : left - static_cast<std::int32_t>(at.leaf);
            to_.nodes[place].direction_start = part.nodes[node].direction_start + first_term;
        }
    }

    // Returns where they begin.
    std::int64_t append_directions(const TreeArrays& part) {
        const std::size_t first = to_.direction_indices.size();
        to_.direction_indices.append(part.direction_indices);
        to_.direction_coefficients.append(part.direction_coefficients);
        if (part.windows.size() > 0) {
            to_.first_window = part.first_window;
            const auto n_before = static_cast<std::int32_t>(to_.windows.size());
            for (std::size_t k = first; k < to_.direction_indices.size(); ++k) {
                if (to_.direction_indices[k] >= part.first_window) to_.direction_indices[k] += n_before;
            }
            to_.windows.append(part.windows);
        }
        return static_cast<std::int64_t>(first);
    }

    TreeArrays& from_;
    std::vector<HandedOver>& others_;
    TreeArrays to_;
    std::size_t next_node_ = 0, next_leaf_ = 0, next_value_ = 0;
    std::vector<Shift> shifts_, leaf_shifts_;  // of the part's own nodes and leaves, from the first on
    std::vector<Place> others_at_;             // first node but one, and first leaf, of each other part
};

}  // namespace

void join_parts(TreePart& tree) {
    if (tree.handed_over.empty()) return;
    tree.arrays = Joiner(tree).join();
    tree.handed_over.clear();
}

}  // namespace silvan
