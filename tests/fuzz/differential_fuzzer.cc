// Valid calls by the optimized kernels, each compared with the portable ones', which run in a
// program of their own (differential_peer) since two kernels of one operator cannot be in one.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <unistd.h>

#include <executorch/tests/fuzz/call_results.h>
#include <executorch/tests/fuzz/fuzz_target.h>
#include <executorch/tests/fuzz/quiet.h>

namespace {

using executorch::fuzz::CallResult;

/// The other program, which lies beside this one.
class Peer {
 public:
  Peer() {
    char self[4096];
    const ssize_t length = ::readlink("/proc/self/exe", self, sizeof(self) - 1);
    std::string path(self, length > 0 ? static_cast<size_t>(length) : 0);
    path = path.substr(0, path.rfind('/') + 1) + "differential_peer";
    int requests[2];
    int replies[2];
    if (::pipe(requests) != 0 || ::pipe(replies) != 0) {
      std::abort();
    }
    if (::fork() == 0) {
      ::dup2(requests[0], 0);
      ::dup2(replies[1], 1);
      for (const int fd : {requests[0], requests[1], replies[0], replies[1]}) {
        ::close(fd);
      }
      ::execl(path.c_str(), path.c_str(), static_cast<char*>(nullptr));
      std::perror(path.c_str());
      ::_exit(127);
    }
    ::close(requests[0]);
    ::close(replies[1]);
    to_ = requests[1];
    from_ = replies[0];
  }

  CallResult run(const uint8_t* data, size_t size) const {
    executorch::fuzz::send_bytes(to_, std::vector<uint8_t>(data, data + size));
    std::vector<uint8_t> reply;
    if (!executorch::fuzz::receive_bytes(from_, reply)) {
      std::fprintf(stderr, "differential_peer is gone\n");
      std::abort();
    }
    return executorch::fuzz::from_bytes(reply);
  }

 private:
  int to_ = -1;
  int from_ = -1;
};

}  // namespace

extern "C" bool FuzzTargetResult(const uint8_t* data, size_t size, uint64_t* digest) {
  executorch::fuzz::silence_log();
  static const Peer peer;
  static const bool says_more = std::getenv("FUZZ_VERBOSE") != nullptr;
  *digest = 0;
  CallResult ours;
  const executorch::fuzz::Operator* const op = executorch::fuzz::run_call(data, size, ours);
  if (op == nullptr) {
    return false;
  }
  const std::string found = executorch::fuzz::difference(ours, peer.run(data, size));
  *digest = found.empty() ? 0 : 1;
  if (!found.empty() && says_more) {
    std::fprintf(stderr, "%s: %s\n", op->name, found.c_str());
  }
  return ours.error == 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  uint64_t digest = 0;
  (void)FuzzTargetResult(data, size, &digest);
  return 0;
}
