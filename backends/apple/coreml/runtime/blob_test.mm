#include <random>

#include <gtest/gtest.h>

#include <executorch/backends/apple/coreml/runtime/blob.h>
#include <executorch/backends/apple/coreml/runtime/blobs_for_tests.h>

namespace executorch {
namespace backends {
namespace coreml {
namespace {

using runtime::Error;
using runtime::Result;

constexpr char kMetadata[] =
    R"({"inputNames": ["x", "y"], "outputNames": ["sum"], "identifier": "abc"})";

Error error_of(const std::string& bytes) {
  const Result<Blob> blob = read_blob(bytes.data(), bytes.size());
  return blob.ok() ? Error::Ok : blob.error();
}

TEST(BlobTest, NamesFilesAndPorts) {
  const std::string bytes = blob_of_model(kMetadata, "{}");
  const Result<Blob> blob = read_blob(bytes.data(), bytes.size());
  ASSERT_TRUE(blob.ok());
  EXPECT_EQ(blob->inputs, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(blob->outputs, (std::vector<std::string>{"sum"}));
  EXPECT_EQ(blob->identifier, "abc");
  EXPECT_EQ(blob->model, "model.mlpackage");
  EXPECT_FALSE(blob->is_compiled);
  ASSERT_EQ(blob->files.size(), 2u);
  for (const BlobFile& file : blob->files) {
    const std::string content = bytes.substr(file.offset, file.size);
    EXPECT_EQ(content, file.path == "metadata.json" ? kMetadata : "{}") << file.path;
  }
}

TEST(BlobTest, CompiledModelsAreNamedByTheirDirectory) {
  const std::string bytes = blob_of_model(kMetadata, "{}", "model.mlmodelc");
  const Result<Blob> blob = read_blob(bytes.data(), bytes.size());
  ASSERT_TRUE(blob.ok());
  EXPECT_TRUE(blob->is_compiled);
  EXPECT_EQ(blob->model, "model.mlmodelc");
}

// What `flatten` in compiler/package.py wrote; models_test.py holds it against this file.
TEST(BlobTest, ReadsWhatTheCompilerWrote) {
  const std::string bytes =
      "{\"inputNames\": [\"a\\u00df}\"], \"outputNames\": [], \"identifier\": \"i\"}one"
      "}]}\"eludom_derewol\":\"eman\",1:\"dnik\",}0:\"ezis\",0:\"tesffo\"{:\"noigeRatad\",}2:"
      "\"egakc"
      "aplm.ledom\",0:\"nosj.atadatem\"{:\"nerdlihc\"{,}\"egakcaplm.ledom\":\"eman\",1:\"dnik\",}0:"
      "\"ez"
      "is\",0:\"tesffo\"{:\"noigeRatad\",}1:\"nib.x\"{:\"nerdlihc\"{,}\"nib.x\":\"eman\",0:"
      "\"dnik\",}3:\"ez"
      "is\",66:\"tesffo\"{:\"noigeRatad\",}{:\"nerdlihc\"{,}\"nosj.atadatem\":\"eman\",0:\"dnik\",}"
      "66:\"ez"
      "is\",0:\"tesffo\"{:\"noigeRatad\",}{:\"nerdlihc\"{[:\"sedon\"{";
  const Result<Blob> blob = read_blob(bytes.data(), bytes.size());
  ASSERT_TRUE(blob.ok());
  EXPECT_EQ(blob->inputs, (std::vector<std::string>{"a\u00df}"}));
}

TEST(BlobTest, RefusesWhatIsNoDirectory) {
  const std::string page = kMetadata;
  const std::string whole = blob_of_model(page, "{}");
  const std::string file = file_row("metadata.json", 0, page.size());
  const std::string nested = std::string("}]}") + std::string(40, ']') + std::string(40, '[') + "{";
  for (const std::string& bytes : {
           std::string(),
           std::string("}"),
           std::string("{}"),
           std::string("}{"),
           nested,
           whole.substr(1),
           whole.substr(0, whole.size() - 1),
           whole + " ",
           blob_of(page, ""),
           blob_of(page, "3"),
           blob_of(page, file),
           // Names that leave the directory, or are none.
           blob_of(page, file + "," + directory_row("r", "\"..\":0")),
           blob_of(page, file + "," + directory_row("r", "\"a/../../b\":0")),
           blob_of(page, file + "," + directory_row("r", "\"/etc/passwd\":0")),
           blob_of(page, file + "," + directory_row("r", "\"\":0")),
           blob_of(page, file + "," + directory_row("r", "\"a\\u0000b\":0")),
           blob_of(page, file + "," + directory_row("r", "\"" + std::string(256, 'a') + "\":0")),
           // Rows that are not there, are there twice, or hold themselves.
           blob_of(page, file + "," + directory_row("r", "\"a\":2")),
           blob_of(page, file + "," + directory_row("r", "\"a\":1")),
           blob_of(page, file + "," + directory_row("r", "\"a\":0,\"b\":0")),
           blob_of(page, file + "," + directory_row("r", "\"a\":-1")),
           blob_of(page, file + "," + directory_row("r", "\"a\":0.5")),
           blob_of(page, file + "," + directory_row("r", "\"a\":\"0\"")),
           // Files outside of the bytes, the table among them.
           blob_of(page, file_row("m", 0, page.size() + 1) + "," + directory_row("r", "\"a\":0")),
           blob_of(page, file_row("m", page.size() + 1, 0) + "," + directory_row("r", "\"a\":0")),
           blob_of(page,
                   file_row("m", 1, 18446744073709551615u) + "," + directory_row("r", "\"a\":0")),
           // A directory without a page, a page without a model, pages that do not say enough.
           blob_of(page, file + "," + directory_row("r", "\"a\":0")),
           blob_of(page, file + "," + directory_row("r", "\"metadata.json\":0")),
           blob_of_model("{}", "{}"),
           blob_of_model("[]", "{}"),
           blob_of_model("", "{}"),
           blob_of_model(R"({"inputNames":["x","x"],"outputNames":[],"identifier":""})", "{}"),
           blob_of_model(R"({"inputNames":[1],"outputNames":[],"identifier":""})", "{}"),
           blob_of_model(R"({"inputNames":"x","outputNames":[],"identifier":""})", "{}"),
           blob_of_model(kMetadata, "{}", "model.other"),
       }) {
    EXPECT_EQ(error_of(bytes), Error::DelegateInvalidCompatibility) << bytes.substr(0, 200);
  }
  EXPECT_EQ(read_blob(nullptr, 0).error(), Error::DelegateInvalidCompatibility);
}

TEST(BlobTest, DirectoriesWithNothingInThemAreKept) {
  const std::string page = kMetadata;
  const std::string bytes = blob_of(
      page + "m", file_row("metadata.json", 0, page.size()) + "," + file_row("m", page.size(), 1) +
                      "," + directory_row("weights", "") + "," +
                      directory_row("model.mlpackage", "\"m\":1,\"weights\":2") + "," +
                      directory_row("root", "\"metadata.json\":0,\"model.mlpackage\":3"));
  const Result<Blob> blob = read_blob(bytes.data(), bytes.size());
  ASSERT_TRUE(blob.ok());
  EXPECT_EQ(blob->directories, std::vector<std::string>{"model.mlpackage/weights"});
}

TEST(BlobTest, DamagedBytesLeadNowhere) {
  const std::string whole = blob_of_model(kMetadata, "{\"inputs\": []}");
  std::mt19937 random(7);
  for (int i = 0; i < 4000; ++i) {
    std::string bytes = whole;
    for (int changes = 1 + int(random() % 3); changes > 0; --changes) {
      bytes[random() % bytes.size()] = char(random());
    }
    const Result<Blob> blob = read_blob(bytes.data(), bytes.size());
    if (!blob.ok()) {
      continue;
    }
    for (const BlobFile& file : blob->files) {
      EXPECT_LE(file.offset + file.size, bytes.size());
      EXPECT_EQ(file.path.find(".."), std::string::npos);
      EXPECT_NE(file.path[0], '/');
    }
  }
}

}  // namespace
}  // namespace coreml
}  // namespace backends
}  // namespace executorch
