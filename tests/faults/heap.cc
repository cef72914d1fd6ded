// Replaces operator new and delete by a heap for one thread, which is several times as fast as the
// C library's: blocks of the same size form a list, from which they are taken and to which they
// return. What is large comes from the C library.
//
// Thread-safety: one thread, as all of the simulator.
// Errors: std::bad_alloc.
#include <sys/mman.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kUnit = 16;                    // sizes are multiples of it
constexpr std::size_t kLargest = 1024;               // of a block
constexpr std::size_t kPage = 64 << 10;              // has blocks of one size
constexpr std::size_t kPages = (8UL << 30) / kPage;  // reserved; used from the beginning

struct Block {
  Block* next;
};

std::array<Block*, kLargest / kUnit + 1> unused;  // by size in units
std::array<std::uint8_t, kPages> size_of;         // of the blocks of each page, in units
std::byte* begin = nullptr;
std::size_t pages = 0;  // in use

void Reserve() {
  void* const memory = mmap(nullptr, kPages * kPage, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::bad_alloc();
  }
  begin = static_cast<std::byte*>(memory);
}

// Makes a page of blocks of so many units.
Block* AddPage(std::size_t units) {
  if (begin == nullptr) {
    Reserve();
  }
  if (pages == kPages) {
    throw std::bad_alloc();
  }
  std::byte* const page = begin + pages * kPage;
  size_of[pages++] = static_cast<std::uint8_t>(units);
  const std::size_t size = units * kUnit;
  Block* list = nullptr;
  for (std::size_t at = kPage / size * size; at > 0; at -= size) {
    list = new (page + at - size) Block{list};
  }
  return list;
}

}  // namespace

void* operator new(std::size_t size) {
  if (size > kLargest) {
    void* const block = std::malloc(size);
    return block != nullptr ? block : throw std::bad_alloc();
  }
  const std::size_t units = size == 0 ? 1 : (size + kUnit - 1) / kUnit;
  Block*& list = unused[units];
  Block* const block = list != nullptr ? list : AddPage(units);
  list = block->next;
  return block;
}

void operator delete(void* memory) noexcept {
  const auto offset = static_cast<std::size_t>(static_cast<std::byte*>(memory) - begin);
  if (offset >= pages * kPage) {
    std::free(memory);
    return;
  }
  Block*& list = unused[size_of[offset / kPage]];
  list = new (memory) Block{list};
}

void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
