# The page on http://localhost:8000/, and the command line on the files of this folder:
#   docker build -t wordalign .
#   docker run --rm -p 127.0.0.1:8000:8000 wordalign
#   docker run --rm --user "$(id -u)" -v "$PWD:/data" wordalign align eng.txt deu.txt --raw -o links.txt
# More extras: docker build --build-arg EXTRAS=serve,figures,statistical -t wordalign .

FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheel .

FROM python:3.12-slim
ARG EXTRAS=serve,figures
COPY constraints.txt /tmp/
RUN --mount=from=build,source=/wheel,target=/wheel \
    pip install --no-cache-dir --constraint /tmp/constraints.txt "$(ls /wheel/*.whl)[$EXTRAS]"
RUN useradd wordalign
USER wordalign
# matplotlib keeps a cache, and a user given with --user has no home.
ENV MPLCONFIGDIR=/tmp/matplotlib
WORKDIR /data
EXPOSE 8000
ENTRYPOINT ["wordalign"]
# Requests for other names are refused: to serve under a name, give all arguments of serve, with --allow-host NAME.
CMD ["serve", "--host", "0.0.0.0", "--port", "8000", "--allow-host", "localhost"]
