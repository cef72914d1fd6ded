# The operator's image: docker build --tag ballast:0.1.0 .
FROM debian:bookworm AS build
WORKDIR /src
COPY .ci/packages .ci/install .ci/
RUN .ci/install
COPY . .
RUN cmake --preset release && cmake --build --preset release --target ballast && strip build/ballast

FROM debian:bookworm-slim
# What the program is linked to; a test compares.
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
      libcpprest2.10 \
      libspdlog1.10 \
      libsqlite3-0 \
      libssl3 \
      libstdc++6 \
      libyaml-cpp0.7 \
      libzstd1 \
    && rm -rf /var/lib/apt/lists/* \
    && install --directory --owner=65532 --group=65532 /var/lib/ballast
COPY --from=build /src/build/ballast /usr/local/bin/ballast
USER 65532:65532
VOLUME /var/lib/ballast
EXPOSE 8080 9443
ENTRYPOINT ["ballast"]
CMD ["operator"]
