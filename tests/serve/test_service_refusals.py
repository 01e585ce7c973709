"""Whatever is wrong with a request is told in a sentence, and never costs more than it may."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

PAIR = '"source": "a", "target": "b"'


@pytest.mark.parametrize(
    ("body", "status", "code", "said"),
    [
        ("", 400, "invalid_json", "not JSON"),
        ("{", 400, "invalid_json", "not JSON"),
        ("{" + PAIR, 400, "invalid_json", "not JSON"),
        ("{" + PAIR + "}}", 400, "invalid_json", "Extra data"),
        (b"\xff\xfe{}", 400, "invalid_json", "not UTF-8: byte 0"),
        (b'{"source": "\xed\xa0\x80", "target": ""}', 400, "invalid_json", "not UTF-8"),
        ("[" * 100_000, 400, "invalid_json", "nested"),
        ('{"pairs": ' + "[" * 5000 + "]" * 5000 + "}", 400, "invalid_json", "nested"),
        ('{"pairs": ' + "[" * 500 + "]" * 500 + "}", 400, "invalid_json", "nested"),
        ('{"a":' * 500 + "1" + "}" * 500, 400, "invalid_json", "nested"),
        ("null", 422, "invalid_request", "object"),
        ("[]", 422, "invalid_request", "object"),
        ("{}", 422, "invalid_request", "pairs is missing"),
        ('{"pairs": []}', 422, "invalid_request", "pairs"),
        ('{"pairs": {}}', 422, "invalid_request", "pairs"),
        ('{"pairs": [{"source": "a"}]}', 422, "invalid_request", "pairs[0].target is missing"),
        ('{"pairs": [[]]}', 422, "invalid_request", "pairs[0]"),
        ('{"pairs": [{' + PAIR + '}], "source": "a"}', 422, "invalid_request", "source is not known"),
        ('{"source": 1, "target": "b"}', 422, "invalid_request", "source is neither a text nor a list"),
        ('{"source": ["a", 1], "target": "b"}', 422, "invalid_request", "source[1] is wrong"),
        ('{"source": "a"}', 422, "invalid_request", "target is missing"),
        ("{" + PAIR + ', "methd": []}', 422, "invalid_request", "methd is not known"),
        ("{" + PAIR + ', "level": "sentence"}', 422, "invalid_request", "'word' or 'subword'"),
        ("{" + PAIR + ', "distortion": NaN}', 422, "invalid_request", "distortion"),
        ("{" + PAIR + ', "distortion": Infinity}', 422, "invalid_request", "distortion"),
        ("{" + PAIR + ', "distortion": 1e999}', 422, "invalid_request", "distortion"),
        ("{" + PAIR + ', "distortion": "0.5"}', 422, "invalid_request", "distortion"),
        ("{" + PAIR + ', "threshold": -0.1}', 422, "invalid_request", "threshold"),
        ("{" + PAIR + ', "null": 1.5}', 422, "invalid_request", "null"),
        ("{" + PAIR + ', "null": true}', 422, "invalid_request", "null"),
        ("{" + PAIR + ', "scores": 1}', 422, "invalid_request", "scores"),
        ("{" + PAIR + ', "methods": []}', 422, "invalid_request", "methods"),
        ("{" + PAIR + ', "methods": "argmax"}', 422, "invalid_request", "methods"),
        ("{" + PAIR + ', "methods": ["argmx"]}', 422, "unknown_method", "Did you mean 'argmax'"),
        ("{" + PAIR + ', "methods": ["os:system"]}', 422, "unknown_method", "Known: argmax"),
        ("{" + PAIR + ', "methods": ["itermax:n_max=0"]}', 422, "invalid_method", "n_max, alpha"),
        ("{" + PAIR + ', "methods": ["itermax:alpha=nan"]}', 422, "invalid_method", "n_max, alpha"),
        ("{" + PAIR + ', "methods": ["argmax:"]}', 422, "invalid_method", "none"),
        ("{" + PAIR + ', "methods": ["match", "match"]}', 422, "invalid_request", "different methods"),
        ("{" + PAIR + ', "model": "bas"}', 422, "unknown_model", "Did you mean 'base'"),
        ("{" + PAIR + ', "model": "mbert"}', 422, "unknown_model", "no others"),
        ("{" + PAIR + ', "model": "../../etc/passwd"}', 422, "unknown_model", "no others"),
        ("{" + PAIR + ', "model": "bert-base-multilingual-cased"}', 422, "unknown_model", "no others"),
        ("{" + PAIR + ', "model": ""}', 422, "unknown_model", "no others"),
        ("{" + PAIR + ', "model": 3}', 422, "invalid_request", "model"),
    ],
)  # fmt: skip
def test_bad_requests(server, refused, body, status, code, said):
    body = body.encode() if isinstance(body, str) else body
    assert said in refused(server.post(body), status, code)


@pytest.mark.parametrize("content_type", ["", "text/plain", "application/x-www-form-urlencoded", "a" * 500])
def test_only_json_is_taken(server, refused, content_type):
    refused(server.post(b"{%s}" % PAIR.encode(), content_type), 415, "not_json")


def test_addresses_and_methods_that_there_are_not(server, refused):
    for path in ("/v1", "/v1/align/", "/docs", "/redoc", "/page", "/v2/align"):
        refused(server.client.get(path), 404, "not_found")
    for path in (
        "/",
        "/annotate.html",
        "/page/main.js",
        "/v1/models",
        "/healthz",
        "/metrics",
        "/openapi.json",
    ):
        head = server.client.head(path)
        assert (head.status_code, head.content) == (200, b""), path
        if path != "/metrics":  # counts the request itself
            assert head.headers["content-length"] == server.get(path).headers["content-length"]
    for method, path in [("GET", "/v1/align"), ("PUT", "/v1/align"), ("POST", "/"), ("DELETE", "/v1/models")]:
        refused(server.client.request(method, path), 405, "wrong_method")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("a\\u0000b", None),
        ("\\u0000", ["\0"]),
        ("tab\\tand\\u200Bothers\\u202E\\u0007", None),
        ("cut \\ud83d", ["cut", "\ufffd"]),
        ("\\ude00 cut", ["\ufffd", "cut"]),
        ("whole \\ud83d\\ude00", ["whole", "😀"]),
        ("<script>alert(1)</script>", None),
        (" \\n ", []),
    ],
)
@pytest.mark.parametrize("kind", ["text", "words"])
def test_odd_characters_are_aligned_like_others(server, source, words, kind):
    given = f'"{source}"' if kind == "text" else f'["{source}"]'
    response = server.post(f'{{"source": {given}, "target": "cut", "matrix": true}}'.encode())
    assert response.status_code == 200, response.text
    (result,) = response.json()["results"]
    if kind == "text":
        text = result["source"]["text"]
        assert [text[start:end] for start, end in result["source"]["offsets"]] == result["source"]["words"]
        assert words is None or result["source"]["words"] == words
    else:
        assert len(result["source"]["words"]) == 1


def test_limits_of_a_request(start_server, refused):
    limits = ("--max-body", "3000", "--max-pairs", "2", "--max-words", "10", "--max-characters", "100")
    with start_server(*limits, "--max-cells", "50") as server:
        pair = {"source": "a", "target": "b"}
        assert server.align(pairs=[pair] * 2).status_code == 200
        assert "3 pairs, but at most 2" in refused(server.align(pairs=[pair] * 3), 422, "too_many_pairs")
        words = server.align(source="a", target="b " * 11)
        assert refused(words, 422, "too_many_words").startswith("The target has 11 words, but at most 10")
        many = server.align(pairs=[pair, {"source": "b " * 11, "target": "a"}])
        assert refused(many, 422, "too_many_words").startswith("pairs[1].source has 11 words")
        refused(server.align(source=["w"] * 11, target="b"), 422, "too_many_words")
        assert server.align(source="b " * 10, target="b").status_code == 200
        refused(server.align(source="x" * 101, target="b"), 422, "too_many_characters")
        refused(server.align(source=["x" * 51, "x" * 50], target="b"), 422, "too_many_characters")
        matrix = server.align(source="b " * 10, target="c " * 10, matrix=True)
        assert "100 cells" in refused(matrix, 422, "matrix_too_large")
        assert server.align(source="b " * 10, target="c " * 10).status_code == 200
        # One word, but a subword for each letter: only the subword level is too large.
        assert server.align(source="x" * 99, target="q" * 99).status_code == 200
        subwords = server.align(source="x" * 99, target="q" * 99, level="subword")
        refused(subwords, 422, "matrix_too_large")
        large = refused(server.align(source="a", target="b" * 4000), 413, "body_too_large")
        assert "3,000 bytes" in large
        chunks = (b"x" * 100 for _ in range(100))
        endless = server.client.post(
            "/v1/align", content=chunks, headers={"Content-Type": "application/json"}
        )
        refused(endless, 413, "body_too_large")
        assert endless.headers["connection"] == "close"
        assert server.align(**pair).status_code == 200


def test_one_bad_request_does_not_harm_its_companions(start_server, refused):
    """Merged into one batch, each is answered by itself."""
    with start_server("--max-cells", "50") as server, ThreadPoolExecutor(16) as pool:
        requests = [
            {"source": "😀" * (1 if n % 3 else 30), "target": "q", "level": "subword"} for n in range(48)
        ]
        for number, response in enumerate(pool.map(lambda request: server.align(**request), requests)):
            if number % 3:
                assert response.status_code == 200
            else:
                refused(response, 422, "matrix_too_large")
