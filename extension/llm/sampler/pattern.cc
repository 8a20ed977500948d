#include <algorithm>

#include <executorch/extension/llm/sampler/pattern.h>

namespace executorch {
namespace extension {
namespace llm {

/// Adds the nodes that take a byte, of those that are reached without one.
void Pattern::reach(int32_t node, std::vector<int32_t>& nodes, std::vector<bool>& seen,
                    bool& matches) const {
  std::vector<int32_t> open = {node};
  while (!open.empty()) {
    const int32_t now = open.back();
    open.pop_back();
    if (now == kEnd) {
      matches = true;
    } else if (now < kFirstFork) {
      nodes.push_back(now);
    } else if (!seen[static_cast<size_t>(now - kFirstFork)]) {
      const auto index = static_cast<size_t>(now - kFirstFork);
      seen[index] = true;
      open.push_back(forks_[index].one);
      open.push_back(forks_[index].other);
    }
  }
}

Pattern::State Pattern::state_of(std::vector<int32_t> nodes, bool matches) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  if (nodes.empty() && !matches) {
    return kNowhere;
  }
  const auto added =
      known_.emplace(std::make_pair(nodes, matches), static_cast<State>(states_.size()));
  if (added.second) {
    Place place;
    place.nodes = std::move(nodes);
    place.matches = matches;
    place.next.fill(kUnknown);
    states_.push_back(std::move(place));
  }
  return added.first->second;
}

Pattern::State Pattern::next(State state, uint8_t byte) {
  const State known = states_[static_cast<size_t>(state)].next[byte];
  if (known != kUnknown) {
    return known;
  }
  std::vector<int32_t> nodes;
  std::vector<bool> seen(forks_.size());
  bool matches = false;
  for (const int32_t number : states_[static_cast<size_t>(state)].nodes) {
    const Node& node = nodes_[static_cast<size_t>(number)];
    if (byte >= node.low && byte <= node.high) {
      reach(node.next, nodes, seen, matches);
    }
  }
  const State found = state_of(std::move(nodes), matches);
  states_[static_cast<size_t>(state)].next[byte] = found;
  return found;
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch
