# The front door. Every target installs what it needs, shows what it does and is quick the second time.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
JOBS ?= $(shell nproc)

.PHONY: help build test test-long demo bench golden format clean packages

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: packages ## the program, optimised: build/ballast
	@tests/run build

test: packages ## everything that CI checks, with a closing count
	@tests/run all

test-long: packages ## what takes too long for every change: more crashes, longer lives, longer fuzzing
	@tests/run long

demo: build ## a policy scales a Deployment on a real control plane, live, in under 4 minutes
	@tests/demo/demo

bench: build ## speed and memory, ours and the peer's side by side
	@tests/bench/run
	@tests/bench/questions
	@tests/bench/staircase

golden: packages ## after the engine's version was raised: what it decides, kept in tests/golden
	@cmake --preset release >/dev/null
	@cmake --build --preset release -j $(JOBS) --target record_golden
	@build/record_golden tests/golden

format: packages ## clang-format over the sources; touches only those that change
	@git ls-files --cached --others --exclude-standard '*.h' '*.cc' | xargs clang-format --dry-run 2>&1 | \
	    sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: warning: code should.*/\1/p' | sort -u | xargs -r clang-format -i

clean: ## remove what was built here (the shared caches stay)
	@rm -rf build build-*

packages:
	@.ci/install
