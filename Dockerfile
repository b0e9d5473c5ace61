# script/containers builds and runs this with a real engine.
#
#   docker build -t localhost/relais .
#   docker run --read-only --tmpfs /tmp --cap-drop ALL -e DATABASE_URL=… -e REDIS_URL=… localhost/relais run --roles worker

# For a mirror of your own: --build-arg NODE_IMAGE=…
ARG NODE_IMAGE=docker.io/library/node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# No install scripts: nothing here needs one, and a package that suddenly brings one should not run.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY console ./console
# What the build writes by itself, and the SQL of the ledger that it copies.
COPY script/generate.ts script/client-types.ts script/commands.ts script/copy-sql.mjs ./script/
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund && \
    # What only an editor or a debugger reads is half of what the packages bring.
    find node_modules dist -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.md' \) \
      ! -iname 'licen[cs]e*' ! -iname 'notice*' -delete

# Node, what it is linked with, and its user: the rest of Debian, a shell and npm among it, never runs, and would only be
# there for somebody who got in. What scanners for known holes read comes along.
FROM ${NODE_IMAGE} AS runtime
RUN mkdir --parents /image/etc /image/usr/local/bin /image/var/lib/dpkg/status.d && \
    cp --parents --dereference /etc/passwd /etc/group /etc/nsswitch.conf /etc/os-release /usr/local/bin/node /image && \
    for library in $(ldd /usr/local/bin/node | grep --only-matching '/[^ ]*'); do \
      cp --parents --dereference "$library" /image && \
      package=$(dpkg-query --search "$library" "$(realpath "$library")" 2>/dev/null | head -n 1 | cut -d : -f 1) && \
      dpkg-query --status "${package:?}" >"/image/var/lib/dpkg/status.d/$package" || exit 1; \
    done && \
    install --directory --mode 1777 /image/tmp && \
    # The one file that a process writes is here, in a volume (WITNESS_FILE). A new volume takes its owner from here.
    install --directory --owner 1000 --group 1000 /volume/relais

FROM scratch
COPY --from=runtime /image /
COPY --from=runtime --chown=1000:1000 /volume /var/lib
WORKDIR /app
ENV PATH=/usr/local/bin \
    NODE_ENV=production \
    HOST=0.0.0.0 \
    MALLOC_ARENA_MAX=2 \
    METRICS_PORT=9464
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY bin ./bin
COPY LICENSE ./
# By number (it is `node`), so that a cluster can see that it is not root.
USER 1000:1000
EXPOSE 3000 3001 9464
STOPSIGNAL SIGTERM
# Alive, not ready: a process that waits for PostgreSQL must not be restarted for it.
HEALTHCHECK --interval=15s --timeout=3s --start-period=20s --retries=4 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.METRICS_PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node itself is the first process, so that SIGTERM reaches it and not a shell. What is new and soon gone may fill twice
# 16 MB before it is tidied, where Node 24 takes up to twice 64; docs/dev/dependencies.md has what that and MALLOC_ARENA_MAX save.
ENTRYPOINT ["node", "--max-semi-space-size=16", "bin/relais.js"]
CMD ["run"]
