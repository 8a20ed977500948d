// Trees go into text and leaves and come back; text that describes no tree is refused.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/pytree/function_ref.h>
#include <executorch/extension/pytree/pytree.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace extension {
namespace pytree {
namespace {

using runtime::Error;

class PytreeTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { runtime::runtime_init(); }
};

TEST_F(PytreeTest, OneLeaf) {
  const int32_t items[] = {11};
  const auto tree = unflatten("$", items);
  EXPECT_TRUE(tree.isLeaf());
  EXPECT_EQ(tree, 11);
  EXPECT_EQ(tree.size(), 0u);
  EXPECT_EQ(tree.leaves_num(), 1u);
  EXPECT_EQ(to_str_tree_spec(tree), "$");
}

TEST_F(PytreeTest, SequencesKeepTheirKind) {
  const std::vector<int64_t> items = {11, 12};
  const auto list = unflatten("L2#1#1($,$)", items);
  EXPECT_TRUE(list.isList());
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0], 11);
  EXPECT_EQ(list[1].leaf(), 12);
  EXPECT_TRUE(unflatten("T2#1#1($,$)", items).isTuple());
  EXPECT_TRUE(unflatten("N2#1#1($,$)", items).isNamedTuple());
  EXPECT_EQ(unflatten("L0()", items).leaves_num(), 0u);
}

TEST_F(PytreeTest, DictsAreReadByKey) {
  const int items[] = {1, 2, 3};
  const auto tree = unflatten("D3#1#1#1('a':$,-7:$,'it\\'s':$)", items);
  ASSERT_TRUE(tree.isDict());
  EXPECT_EQ(tree.at("a"), 1);
  EXPECT_EQ(tree.at(-7), 2);
  EXPECT_EQ(tree.at(std::string("it's")), 3);
  EXPECT_TRUE(tree.contains("a"));
  EXPECT_FALSE(tree.contains("b"));
  EXPECT_FALSE(tree.contains(7));
  EXPECT_EQ(tree.key(1).as_int(), -7);
  EXPECT_EQ(tree.key(0).as_str(), "a");
}

TEST_F(PytreeTest, FlattenAndUnflattenAreInverse) {
  const std::vector<std::string> texts = {
      "$",
      "T0()",
      "T3#1#2#1($,L2#1#1($,$),$)",
      "D2#3#1('key0':L2#1#2($,T2#1#1($,$)),'key1':$)",
      "N1#1(D1#1(5:L1#1($)))",
      "D1#1('quote \\' and \\\\':$)",
  };
  const int items[] = {1, 2, 3, 4};
  for (const std::string& text : texts) {
    const auto tree = unflatten(text, items);
    EXPECT_EQ(to_str_tree_spec(tree), text);
    const auto flat = flatten(tree);
    ASSERT_EQ(flat.first.size(), tree.leaves_num()) << text;
    for (size_t i = 0; i < flat.first.size(); ++i) {
      EXPECT_EQ(*flat.first[i], items[i]) << text;
    }
    EXPECT_EQ(to_str_tree_spec(*flat.second), text);
    EXPECT_TRUE(same_structure(*flat.second, tree));
    EXPECT_TRUE(same_structure(unflatten(*flat.second, items), tree));
  }
  EXPECT_FALSE(same_structure(from_str_tree_spec("L1#1($)"), from_str_tree_spec("T1#1($)")));
  EXPECT_FALSE(
      same_structure(from_str_tree_spec("D1#1('a':$)"), from_str_tree_spec("D1#1('b':$)")));
}

TEST_F(PytreeTest, NodesCarryWhatTheyAreGiven) {
  using Named = ContainerHandle<int, std::string>;
  Named tree(Kind::List, {Named(1), Named(2)});
  tree.aux() = "root";
  tree[1].aux() = "second";
  const auto flat = flatten(tree);
  const Named again = unflatten(*flat.second, std::vector<int>{1, 2});
  EXPECT_EQ(again.aux(), "root");
  EXPECT_EQ(again[1].aux(), "second");
  EXPECT_EQ(again[1], 2);
}

TEST_F(PytreeTest, TextThatDescribesNoTreeIsRefused) {
  const std::vector<std::string> texts = {
      "",
      "X",
      "$$",
      "L",
      "L1",
      "L1($)",
      "L1#2($)",
      "L1#1($",
      "L1#1($))",
      "L2#1#1($)",
      "L2#1#1($;$)",
      "D1#1($)",
      "D1#1('a$)",
      "D1#1('a)",
      "D1#1(x:$)",
      "D1#1('a'$)",
      "L99999999999999999999()",
      "L9223372036854775807#1($)",
      "D1#1(99999999999999999999:$)",
      std::string(100000, 'L'),
  };
  for (const std::string& text : texts) {
    EXPECT_EQ(try_from_str_tree_spec(text).error(), Error::InvalidArgument) << text;
  }
  std::string deep = "$";
  for (int i = 0; i < 100; ++i) {
    deep = "L1#1(" + deep + ")";
  }
  EXPECT_EQ(try_from_str_tree_spec(deep).error(), Error::InvalidArgument);
}

TEST_F(PytreeTest, ArraysOwnTheirItems) {
  arr<int> none(0);
  EXPECT_EQ(none.size(), 0u);
  EXPECT_EQ(none.begin(), none.end());
  arr<int> three(3);
  int next = 0;
  for (int& item : three) {
    EXPECT_EQ(item, 0);
    item = ++next;
  }
  const arr<int> moved = std::move(three);
  EXPECT_EQ(moved[2], 3);
  EXPECT_EQ(moved.data()[0], 1);
}

TEST_F(PytreeTest, CallablesAreBorrowed) {
  int calls = 0;
  const auto count = [&calls](int by) { return calls += by; };
  const FunctionRef<int(int)> borrowed(count);
  EXPECT_EQ(borrowed(2), 2);
  EXPECT_EQ(borrowed(3), 5);
}

TEST(PytreeDeathTest, WrongUseEndsTheProcess) {
  runtime::runtime_init();
  const int items[] = {1, 2};
  const auto list = unflatten("L2#1#1($,$)", items);
  EXPECT_DEATH(list[2], "no child 2");
  EXPECT_DEATH(list.leaf(), "not a leaf");
  EXPECT_DEATH(list.at("a"), "no such key");
  EXPECT_DEATH(from_str_tree_spec("L"), "not the text of a tree: L");
}

}  // namespace
}  // namespace pytree
}  // namespace extension
}  // namespace executorch
