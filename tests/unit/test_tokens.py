"""Token estimates compared with a real tokenizer, and the guarantees of clipping."""

import json
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st
from platformdirs import user_cache_path

from tellonce_text.tokens import ELLIPSIS, clip, estimate
from tests.patience import HANGS

PACKAGE = "gpt-tokenizer@4.0.0"  # bundles the o200k vocabulary
COUNTER = Path(__file__).with_name("real_tokenizer.mjs")
SAMPLES: dict[str, str] = tomllib.loads(Path(__file__).with_name("token_samples.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def real_counts() -> dict[str, int]:
    """The o200k tokens of each sample. An npm package counts them; it is downloaded once into the user's cache."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        pytest.skip("node and npm are not installed, so there is no real tokenizer to compare with")
    folder = user_cache_path("tellonce-tests") / "tokenizer"
    folder.mkdir(parents=True, exist_ok=True)
    # Concurrent runs share the cache, so an incomplete package must not be read.
    with FileLock(folder.with_suffix(".lock")):
        if not (folder / "node_modules" / "gpt-tokenizer").is_dir():
            command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), PACKAGE]
            fetched = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
            if fetched.returncode:
                pytest.skip(f"npm could not fetch {PACKAGE}: {fetched.stderr.strip()[-300:]}")
    done = subprocess.run(
        [node, str(COUNTER), str(folder)],
        input=json.dumps(list(SAMPLES.values())),
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=True,
    )
    return dict(zip(SAMPLES, json.loads(done.stdout), strict=True))


@pytest.mark.node
@pytest.mark.parametrize("name", SAMPLES)
def test_an_estimate_is_within_ten_percent_of_a_real_tokenizer(name: str, real_counts: dict[str, int]) -> None:
    real, estimated = real_counts[name], estimate(SAMPLES[name])
    print(f"{name}: real {real}, estimated {estimated}, {estimated / real - 1:+.1%}")
    assert abs(estimated - real) <= 0.1 * real


@pytest.mark.node
def test_the_samples_are_long_enough_to_judge_by(real_counts: dict[str, int]) -> None:
    assert min(real_counts.values()) >= 85


def test_only_the_empty_text_costs_nothing() -> None:
    assert estimate("") == 0
    assert estimate(" ") == 1


@given(st.text(min_size=1))
def test_any_text_costs_at_least_one_token_and_less_than_five_a_character(text: str) -> None:
    assert 1 <= estimate(text) <= 1 + 5 * len(text)


@given(st.text(), st.text())
def test_more_text_never_costs_noticeably_less(text: str, more: str) -> None:
    # If two texts are joined, only tokens at the joint can merge.
    assert estimate(text + more) >= estimate(text) - 4


@given(st.text(), st.text())
def test_the_whole_costs_about_the_sum_of_its_parts(text: str, more: str) -> None:
    assert abs(estimate(text + "\n" + more) - estimate(text) - estimate(more)) <= 6


@given(st.text(max_size=400), st.integers(min_value=0, max_value=60))
def test_clipping_never_exceeds_its_limit_and_says_whether_it_cut(text: str, limit: int) -> None:
    clipped, cut = clip(text, limit)
    assert estimate(clipped) <= limit
    assert cut == (clipped != text)
    assert clipped == text or not clipped or clipped.endswith(ELLIPSIS)


@pytest.mark.parametrize("name", SAMPLES)
def test_clipping_uses_most_of_what_it_may(name: str) -> None:
    clipped, cut = clip(SAMPLES[name], 50)
    assert cut
    assert 38 <= estimate(clipped) <= 50


def test_a_text_that_fits_is_returned_as_it_is() -> None:
    assert clip("Hello there", 10) == ("Hello there", False)
    assert clip("", 0) == ("", False)


def test_clipping_to_nothing_leaves_nothing() -> None:
    assert clip("Hello there", 0) == ("", True)
    assert clip("Hello there", -3) == ("", True)


def test_clipping_keeps_words_and_emoji_whole() -> None:
    clipped, _ = clip("The quick brown fox jumps over the lazy dog", 6)
    assert (
        clipped.removesuffix(ELLIPSIS).split()
        == "The quick brown fox jumps over the lazy dog".split()[: len(clipped.split())]
    )
    family = "👩‍👩‍👧"
    shortened, _ = clip(family * 6, 20)
    assert shortened.removesuffix(ELLIPSIS).replace(family, "") == ""
