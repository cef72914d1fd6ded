# The commands for contributors. Each installs the Debian packages that it needs.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
JOBS ?= $(shell nproc)
PROGRAMS = build-shipped/ballast $(ALSO:%=build-%/ballast)
BESIDE = tests/bench/controllers --deployments 1000 --only unlimited --only ballast
VERSION = $(shell sed -n 's/^appVersion: //p' charts/ballast/Chart.yaml)

# Each command takes at most an hour on two cores; all are run, even if one exceeds its limit.
define BENCH_LONG
tests/bench/controllers
tests/bench/controllers --deployments 1000
$(BESIDE) --phases 10 --limit-p50 8 --limit-p99 16
$(BESIDE) --phases 10 --publish 15 --stepping 50 --limit-p50 0.7 --limit-p99 2
$(BESIDE) --phases 10 --publish 15 --bare
tests/bench/run --growth
tests/bench/lying_adapter
tests/bench/sizing
tests/bench/memory
tests/bench/start --deployments 1000 --limit-ready 1
tests/bench/start
tests/bench/boundary --limit-p99 1 --limit-behind 16
tests/bench/boundary --policies 5000 --bare --limit-p99 20
tests/bench/connections
tests/bench/churn
tests/bench/controllers --deployments 1000 --pods 50 --only ballast
tests/bench/controllers --deployments 5000 --only unlimited --only ballast
endef
export BENCH_LONG

.PHONY: help build shipped arm64 crane image release prepare test test-unit test-long demo bench bench-long golden format clean \
    packages packages-tests packages-arm64 packages-long

help: ## print this list
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: packages ## build the optimised program, build/ballast
	@tests/run build

shipped: packages ## build the program that users get, build-shipped/ballast
	@cmake --preset shipped >/dev/null
	@cmake --build --preset shipped -j $(JOBS) --target ballast
	@mkdir -p build

arm64: packages packages-arm64 ## build the program for arm64, build-arm64/ballast; `make image ALSO=arm64` packs it, too
	@cmake --preset arm64 >/dev/null
	@cmake --build --preset arm64 -j $(JOBS) --target ballast

# First, so that nobody waits for the program to learn that Go is missing.
crane:
	@cmake/package/go-tool cmake/package/crane binary >/dev/null

image: crane shipped $(ALSO) ## pack the operator's image, build/ballast-VERSION-image.tar, without a Docker engine
	@cmake/package/image.py build/ballast-$(VERSION)-image.tar $(PROGRAMS)
	@ls -sh build/ballast-$(VERSION)-image.tar

release: crane shipped $(ALSO) ## make the files of a release in build/release: chart, image, plugin, SBOM, licences, sums
	@rm -rf build/release
	@cmake/package/release.py $(REGISTRY:%=--registry %) $(DOWNLOADS:%=--downloads %) build/release $(PROGRAMS)
	@cd build/release && sha256sum --check --quiet SHA256SUMS && ls -sh

prepare: packages-tests ## fetch and build what needs the network; `make test` then needs none
	@tests/run prepare

test: packages-tests ## run the checks that CI runs, but for data races; print how many passed
	@tests/run all

test-unit: packages-tests ## run unit tests and conformance, without sanitizers or a control plane
	@tests/run unit

test-long: packages-long ## run these and clang-tidy, with the long form of tests that have one
	@tests/run long

demo: packages ## watch a policy scale a Deployment on a real control plane, in under 2 minutes
	@tests/run demo

bench: build ## measure speed and memory, beside Kubernetes' own HPA controller, in under half an hour
	@tests/bench/run
	@tests/bench/questions
	@tests/bench/staircase
	@$(BESIDE)
	@tests/bench/controllers --deployments 500 --pods 1 --period 1 --apart --only ballast --limit-p99 1.25

bench-long: build ## the same at other sizes, and reaction, starts, memory, churn, an adapter that lies; takes hours
	@mapfile -t commands <<< "$$BENCH_LONG"; status=0; \
	    for command in "$${commands[@]}"; do $$command || status=$$?; done; exit $$status

golden: packages ## record what the engine decides in tests/golden: a new version, or new snapshots
	@cmake --preset release >/dev/null
	@cmake --build --preset release -j $(JOBS) --target record_golden
	@build/record_golden tests/golden

format: packages-tests ## run clang-format on the sources; only writes those that change
	@git ls-files --cached --others --exclude-standard '*.h' '*.cc' | xargs clang-format --dry-run 2>&1 | \
	    sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: warning: code should.*/\1/p' | sort -u | xargs -r clang-format -i

clean: ## remove build folders, but not the shared caches
	@rm -rf build build-*

packages:
	@.ci/install packages

packages-tests:
	@.ci/install packages packages-tests

packages-arm64:
	@.ci/install packages-arm64

packages-long:
	@.ci/install packages packages-tests packages-arm64 packages-long
