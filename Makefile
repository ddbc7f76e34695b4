# Every task of the project, for people and for CI alike. `make` alone lists them.
export PATH := $(CURDIR)/.toolchain/node_modules/.bin:$(CURDIR)/node_modules/.bin:$(PATH)
.DEFAULT_GOAL := help
# Random tests: with one seed for all runs, a test that fails is due to the change. Other seeds: make test MNEME_TEST_SEED=1.
export MNEME_TEST_SEED ?= 20261128

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: ## Serve on 127.0.0.1:50051 with data under ./data (flags: make run ARGS='--listen 127.0.0.1:6000')
	@tools/install.sh production
	@exec bin/mneme serve $(ARGS)

.PHONY: setup
setup: ## Install Node and the packages for development; the other targets do it by themselves
	@tools/install.sh development
	@bin/mneme --version >/dev/null

# Tests, and the programs that they start, load Kysely and zod as one module each (tools/bundle-packages.ts), and keep what Node has
# compiled.
JEST = NODE_OPTIONS=--conditions=one-module NODE_COMPILE_CACHE=$(CURDIR)/node_modules/.cache/mneme-compile node --no-warnings node_modules/jest/bin/jest.js

# What `make test` runs; one of them alone needs only the toolchain of its own language.
TESTS = test-server test-rust test-python test-go test-java test-contract test-polyglot test-mcp test-adapters test-deploy
# Suites run side by side: what several of them need is installed before.
SHARED = $(if $(filter test-server,$(TESTS)),databases proxies browser openapi-tools)

.PHONY: test
ifeq ($(ARGS),)
test: setup $(SHARED) ## Run the tests of the server and of the clients (one file: make test ARGS=test/path; what a change reaches: ARGS=--changed; some: TESTS='test-go test-mcp')
	@CHECK=1 tools/test.sh $(TESTS)
else
test: test-server
endif

.PHONY: test-all
test-all: setup databases proxies browser openapi-tools ## Run all that `make test` leaves to the night: every PostgreSQL, Redis Cluster, all rounds, frameworks' suites, histories, demos
	@CHECK=1 MNEME_ALL_TESTS=1 tools/test.sh $(TESTS) test-connect test-linearizability demo-mesh demo-streams demo-lifecycle

.PHONY: test-server
test-server: setup databases proxies browser openapi-tools ## Run the tests of the server, the command line and the TypeScript client
	@$(JEST) $(ARGS:--changed=--changedSince=main)

.PHONY: databases
databases: ## Bring Redis and PostgreSQL for tests and benchmarks
	@tools/install-redis.sh
	@tools/install-postgres.sh || echo 'What needs PostgreSQL fails, all else runs.' >&2

.PHONY: browser
browser: ## Bring Chromium for the tests of the inspector
	@tools/install-chromium.sh

# No process, no Redis, no proxy, and a minute at most: what takes longer or needs one of these is left to `make test`.
FAST = --testPathPatterns 'test/(memory|search)/|/unit/|server/operations/|conformance/(embedder|memory-store|scope-policies|tier-store)' \
  --testPathIgnorePatterns 'query-vectors|near-sets|hub-model|word-piece|storage/unit/folder|evaluation/|session-ends|delete-session' \
  --testNamePattern '^(?!.*\((sqlite|redis))'

.PHONY: test-fast
test-fast: setup ## Run the tests that need no other process and take under a minute in all, while you write
	@$(JEST) $(FAST) $(ARGS)

CLIENT =
.PHONY: test-contract
test-contract: setup ## Run the contract test of the clients (one: make test-contract CLIENT=go; some: ARGS='guarantees sessions:hooks')
	@CLIENT=$(CLIENT) node --disable-warning=ExperimentalWarning test/contract/main.ts $(ARGS)

.PHONY: test-polyglot
test-polyglot: SET := $(or $(SET),$(wildcard $(shell cat .ci/conversations)))
test-polyglot: setup databases proxies ## Run programs in four languages on a server that is killed; every night an evaluation too (SET=path/to/set.json)
	@node --disable-warning=ExperimentalWarning --disable-warning=DEP0123 test/polyglot/main.ts $(SET)

.PHONY: test-mcp
test-mcp: setup ## Run the conformance suite of MCP against /mcp of a server (what it prints: ARGS=--verbose)
	@tools/npm-tool.sh tools/mcp-conformance "MCP's conformance suite"
	@node --disable-warning=ExperimentalWarning test/cli/mcp/conformance/main.ts $(ARGS)

.PHONY: test-connect
test-connect: setup ## Run the conformance suite of Connect against the HTTP side of the server (some: ARGS="--run 'Errors/**'")
	@tools/connect-conformance.sh $(ARGS)

.PHONY: test-adapters
test-adapters: setup ## Run the frameworks' own suites on the adapters in Python, TypeScript and Java (one part: PART=python, typescript or java)
	@tools/clients/adapters.sh $(or $(PART),python typescript java) $(ARGS)

.PHONY: proxies
proxies: ## Bring Envoy, nginx and HAProxy for the tests of deploy/
	@tools/proxies.sh

.PHONY: openapi-tools
openapi-tools: setup ## Bring a linter and a generator of OpenAPI for the tests of docs/openapi.json
	@tools/npm-tool.sh tools/openapi-tools "OpenAPI's linter and generator"

.PHONY: deploy-tools
deploy-tools: ## Bring Helm, kubeconform, hadolint, actionlint and schemas for the tests of the image, the chart and the meshes
	@tools/deploy-tools.sh

.PHONY: test-deploy
test-deploy: setup databases deploy-tools ## Test the image without Docker; lint the Dockerfile, the compose file, the chart, the meshes and the workflows
	@$(JEST) $(or $(ARGS),test/deploy)

VERSION = $(shell sed -n 's/^  "version": "\(.*\)",/\1/p' package.json)
IMAGE ?= mneme
ARCH ?= $(subst aarch64,arm64,$(subst x86_64,amd64,$(shell uname -m)))
ARCHS ?= $(ARCH)
.PHONY: image
image: ## Build the container image, mneme:VERSION, with Docker (another name: make image IMAGE=registry/mneme)
	@docker build --file deploy/image/Dockerfile --tag $(IMAGE):$(VERSION) .

.PHONY: check-tag
check-tag: ## Compare the tag of a release (GITHUB_REF_NAME=v1.2.3) with the version of package.json
	@test "$$GITHUB_REF_NAME" = 'v$(VERSION)' || { echo "tag $$GITHUB_REF_NAME: expected v$(VERSION), the version of package.json" >&2; exit 2; }

.PHONY: image-push
image-push: ## Build the image for this processor and push it as IMAGE:VERSION-ARCH
	@docker build --file deploy/image/Dockerfile --tag $(IMAGE):$(VERSION)-$(ARCH) .
	@docker push $(IMAGE):$(VERSION)-$(ARCH)

.PHONY: image-index
image-index: ## Make IMAGE:VERSION of the images that were pushed for some processors (ARCHS='amd64 arm64')
	@docker buildx imagetools create --tag $(IMAGE):$(VERSION) $(foreach arch,$(ARCHS),$(IMAGE):$(VERSION)-$(arch))

HELM = .toolchain/deploy/bin/helm
.PHONY: chart
chart: setup deploy-tools ## Lint the Helm chart and pack it into deploy/helm/dist
	@$(HELM) lint --strict --quiet deploy/helm/mneme --values deploy/helm/examples/embedded.yaml
	@$(HELM) package deploy/helm/mneme --destination deploy/helm/dist

.PHONY: chart-push
chart-push: chart ## Push the packed chart to a registry (REGISTRY=oci://registry/charts)
	@test -n '$(REGISTRY)' || { echo "usage: make chart-push REGISTRY=oci://registry/charts" >&2; exit 2; }
	@$(HELM) push deploy/helm/dist/mneme-$(VERSION).tgz $(REGISTRY)

.PHONY: check
check: setup ## Format, lint, types, dependency rules, protos, generated code
	@node tools/check.ts $(ARGS)

.PHONY: format
format: setup ## Format the code and the protos in place
	@biome check --config-path=tools/checks/format.json --write --log-level=error .
	@buf format -w proto --path proto/mneme

OUT = .
.PHONY: gen
gen: setup ## Generate gen/ and the reference pages of docs/ from the protos, the WebAssembly text and the sources
	@buf generate --template proto/buf.gen.yaml -o $(OUT)
	@node --disable-warning=ExperimentalWarning tools/finish-stubs.ts $(OUT)/gen/ts
	@node --disable-warning=ExperimentalWarning tools/option-shapes.ts $(OUT)/gen/ts/client/option-shapes.ts
	@buf build proto --exclude-source-info --as-file-descriptor-set -o $(OUT)/gen/image.binpb
	@mkdir -p $(OUT)/gen/wasm
	@wat2wasm src/search/standing/query-rows.wat -o $(OUT)/gen/wasm/query-rows.wasm
	@wat2wasm src/search/embedding/sentence/products.wat -o $(OUT)/gen/wasm/products.wasm
	@wat2wasm src/search/ranking/rough-products.wat -o $(OUT)/gen/wasm/rough-products.wasm
	@node --disable-warning=ExperimentalWarning tools/agent-tools.ts $(OUT)/clients/agent-tools.json
	@node tools/api-docs.ts $(OUT)/docs
	@node --disable-warning=ExperimentalWarning tools/reference-docs.ts $(OUT)

.PHONY: docs
docs: setup docs-typescript docs-python docs-go docs-java docs-rust ## Build all reference documentation: docs/api, settings.md, limits.md, and that of each client
	@node tools/api-docs.ts docs
	@node --disable-warning=ExperimentalWarning tools/reference-docs.ts .

.PHONY: clients-table
clients-table: setup ## Write the table of all calls in all languages into docs/clients.md
	@node --disable-warning=ExperimentalWarning tools/clients-table.ts

.PHONY: examples
examples: setup ## Run the examples of README.md, docs/cli.md and docs/guides and write what they print into the pages
	@UPDATE=1 $(JEST) test/docs/pages

.PHONY: baseline
baseline: setup ## Make today's API the one that later changes must not break (at a release)
	@buf build proto --exclude-source-info -o proto/baseline.binpb

.PHONY: eval
eval: setup ## Score recall on a set of questions: make eval SET=path/to/set.json
	@test -n '$(SET)' || { echo "usage: make eval SET=path/to/set.json [ARGS=--pooled]" >&2; exit 2; }
	@exec tools/eval.sh '$(SET)' $(ARGS)

.PHONY: eval-sets
eval-sets: setup ## Score recall on every set of a folder: make eval-sets SETS=path OUT=path (AGAINST=OUT of an earlier run)
	@test -n '$(SETS)' -a -n '$(OUT)' || { echo "usage: make eval-sets SETS=path/to/folder OUT=path/to/folder [AGAINST=path/to/folder]" >&2; exit 2; }
	@tools/eval-sets.sh '$(SETS)' '$(OUT)' '$(AGAINST)'

.PHONY: eval-left-out
eval-left-out: setup ## Score the learned order by trees that saw no question of a set: make eval-left-out SETS=path OUT=path
	@test -n '$(SETS)' -a -n '$(OUT)' || { echo "usage: make eval-left-out SETS=path/to/folder OUT=path/to/folder" >&2; exit 2; }
	@tools/eval-sets.sh --left-out '$(SETS)' '$(OUT)'

.PHONY: eval-memory
eval-memory: setup ## Score what the memory makes of conversations, on the sets of a folder: make eval-memory SETS=path (ARGS=--gate)
	@test -n '$(SETS)' || { echo "usage: make eval-memory SETS=path/to/folder [ARGS='--gate | --odd --all --context --derived --quick --show']" >&2; exit 2; }
	@node --disable-warning=ExperimentalWarning test/search/evaluation/eval-memory.ts '$(SETS)' $(ARGS)

.PHONY: eval-small
eval-small: setup ## Ask what a few memories should answer, and print which first hits are right
	@node --disable-warning=ExperimentalWarning test/search/evaluation/eval-small.ts

.PHONY: eval-all
eval-all: setup ## Score recall on all sets, beside the last release: make eval-all (SETS=path/to/folder, ARGS=--write at a release)
	@node --disable-warning=ExperimentalWarning tools/eval-all.ts $(SETS) $(ARGS)

.PHONY: demo-streams
demo-streams: SET := $(or $(SET),$(wildcard $(shell cat .ci/conversations)))
demo-streams: setup proxies ## Stream conversations in while queries stand, with kills and proxies (SET=path/to/set.json)
	@node test/demo/streams.ts $(SET) $(ARGS)

.PHONY: demo-mesh
demo-mesh: setup databases proxies ## Break three servers behind Envoy while programs in three languages work (ARGS='--minutes 2 --seed N')
	@node --disable-warning=ExperimentalWarning --disable-warning=DEP0123 test/demo/mesh.ts $(ARGS)

.PHONY: test-linearizability
test-linearizability: setup databases ## Check 1,000 histories of calls through three servers that are killed and frozen (ARGS='--seed N')
	@node --disable-warning=ExperimentalWarning test/fault/linearizability/main.ts $(ARGS)

.PHONY: bench
bench: setup databases ## Measure speed against the bare limits of the same machine (parts: make bench BENCH='get list')
	@node test/bench/main.ts $(BENCH) $(ARGS)

.PHONY: fuzz
fuzz: setup ## Send generated messages to every method: no INTERNAL, no crash, bounded memory (ARGS='--messages 1000000 --seed N --round R')
	@node --disable-warning=ExperimentalWarning test/fuzz/main.ts $(ARGS)

.PHONY: campaign
campaign: setup databases ## Kill, freeze and starve a server while clients write, and compare it with what it acknowledged (ARGS='--mode postgres --minutes 10 --seed 1')
	@node --disable-warning=ExperimentalWarning test/fault/campaign/main.ts $(ARGS)

.PHONY: demo-lifecycle
demo-lifecycle: setup ## Tell the life of a session on the terminal, with everything killed on the way (ARGS='--redis --python')
	@node --disable-warning=ExperimentalWarning tools/demo-lifecycle.ts $(ARGS)

PYTHON = .toolchain/python/bin/python
.PHONY: static-table
static-table: $(PYTHON) ## Make the table of token vectors in assets/ anew, byte for byte (Python 3.11; some minutes)
	@$(PYTHON) tools/static_table.py $(ARGS)

$(PYTHON): tools/requirements.txt
	@mkdir -p .toolchain
	@python3.11 -m venv --clear .toolchain/python
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps -r tools/requirements.txt
	@touch $(PYTHON)

.PHONY: gen-clients
gen-clients: gen-python gen-go gen-rust ## Generate the stubs of the clients, but that in TypeScript (make gen) and that in Java (Maven, target/)

.PHONY: gen-go
gen-go: setup ## Generate the stubs of the Go client, gen/go
	@tools/clients/go.sh gen

.PHONY: gen-python
gen-python: ## Generate the stubs of the Python client, gen/python
	@tools/clients/python.sh gen

.PHONY: test-go
test-go: setup ## Lint and test the Go client (some: make test-go ARGS='-run Filter')
	@tools/clients/go.sh test $(ARGS)

.PHONY: test-python
test-python: setup ## Lint and test the Python client (one file: make test-python ARGS=clients/python/tests/test_values.py)
	@tools/clients/python.sh test $(ARGS)

.PHONY: packages
packages: package-typescript package-python package-go package-java package-rust ## Build the packages of all clients and try them
	@ls clients/typescript/*.tgz clients/python/dist/*.whl clients/go/dist/github.com/mneme-ai/mneme/clients/go/@v/*.zip clients/java/target/*.jar clients/java/langchain4j/target/*.jar clients/rust/dist/*.crate

.PHONY: package-typescript
package-typescript: setup ## Build the npm package of the TypeScript client into clients/typescript
	@tools/clients/typescript.sh package

.PHONY: package-go
package-go: ## Build the module of the Go client into clients/go/dist, as a proxy of modules in a folder
	@tools/clients/go.sh package

.PHONY: package-python
package-python: setup ## Build the wheel of the Python client into clients/python/dist
	@tools/clients/python.sh package

.PHONY: test-java
test-java: setup ## Lint and test the Java client (one class: make test-java ARGS=-Dtest=MemoriesTest)
	@tools/clients/java.sh test $(ARGS)

.PHONY: package-java
package-java: setup ## Build the jars of the Java client into clients/java/target
	@tools/clients/java.sh package

.PHONY: docs-typescript
docs-typescript: setup ## Build the reference documentation of the TypeScript client into clients/typescript/docs
	@tools/clients/typescript.sh docs

.PHONY: docs-java
docs-java: ## Build the reference documentation of the Java client into clients/java/target/docs
	@tools/clients/java.sh docs

.PHONY: docs-go
docs-go: ## Print the reference documentation of the Go client into clients/go/docs
	@tools/clients/go.sh docs

.PHONY: docs-python
docs-python: ## Build the reference documentation of the Python client into clients/python/docs
	@tools/clients/python.sh docs

.PHONY: gen-rust
gen-rust: ## Generate the stubs of the Rust client, gen/rust
	@tools/clients/rust.sh gen

.PHONY: test-rust
test-rust: setup ## Lint and test the Rust client (some: make test-rust ARGS='--test client memories::')
	@tools/clients/rust.sh test $(ARGS)

.PHONY: docs-rust
docs-rust: ## Build the reference documentation of the Rust client into clients/rust/docs
	@tools/clients/rust.sh docs

.PHONY: package-rust
package-rust: ## Build the crate of the Rust client into clients/rust/dist
	@tools/clients/rust.sh package

.PHONY: clean
clean: ## Remove what was installed; data is left alone
	rm -rf node_modules .toolchain clients/typescript/dist clients/typescript/docs clients/typescript/*.tgz clients/python/dist \
		clients/python/docs clients/go/dist clients/go/docs clients/java/target clients/java/langchain4j/target clients/rust/dist clients/rust/docs deploy/helm/dist
