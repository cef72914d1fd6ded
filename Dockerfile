# The operator's image. Without a Docker engine, `make image` makes the same one (docs/install.md).
#   docker build --tag ballast:0.1.0 --build-arg COMMIT="$(git rev-parse HEAD)" .
FROM debian:bookworm AS build
ARG COMMIT=unknown
WORKDIR /src
COPY .ci/packages .ci/install .ci/
RUN .ci/install packages
COPY . .
RUN cmake --preset shipped && BALLAST_COMMIT=$COMMIT cmake --build --preset shipped --target ballast
RUN cmake/package/rootfs.py build-shipped/ballast rootfs.tar && mkdir /rootfs && tar -C /rootfs -xpf rootfs.tar

# From here on it says what cmake/package/image.py says, which a test compares.
FROM scratch
ARG VERSION=0.1.0
ARG COMMIT=unknown
COPY --from=build /rootfs/ /
COPY --from=build --chown=65532:65532 /rootfs/var/lib/ballast/ /var/lib/ballast/
LABEL org.opencontainers.image.title="ballast"
LABEL org.opencontainers.image.description="An autoscaler for Kubernetes workloads that records and explains every decision"
LABEL org.opencontainers.image.licenses="Apache-2.0"
LABEL org.opencontainers.image.version="$VERSION"
LABEL org.opencontainers.image.revision="$COMMIT"
USER 65532:65532
EXPOSE 8080 9443
ENTRYPOINT ["/usr/local/bin/ballast"]
CMD ["operator"]
