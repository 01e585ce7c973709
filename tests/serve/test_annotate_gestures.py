"""What an annotator does with mouse and keys, and that all of it can be undone."""

from __future__ import annotations

from serve.annotating import PAIRS, Desk

pytest_plugins = ("serve.browser",)


def test_a_project_of_pasted_pairs_begins_with_suggested_links(visit):
    desk = Desk.begun(visit)
    project = desk.project()
    assert project["format"] == "wordalign-project"
    assert project["annotator"] == "Ann"
    assert [pair["source_text"] for pair in project["pairs"]] == [source for source, _ in PAIRS]
    first = project["pairs"][0]
    assert first["source"] == ["Das", "Museum", "ist", "montags", "geschlossen", "."]
    assert first["links"] == dict.fromkeys(first["suggested"], "sure")
    assert first["suggested"]["1-1"] > 0.9
    assert "method=calibrated" in first["suggested_by"]
    assert desk.drawn() == set(first["links"])


def test_word_and_counterpart_make_and_take_a_link(visit):
    desk = Desk.begun(visit)
    desk.link(0, 6)
    assert desk.links()["0-6"] == "sure"
    desk.link(0, 6)
    assert "0-6" not in desk.links()


def test_a_click_on_a_link_makes_it_possible_and_sure_again(visit):
    desk = Desk.begun(visit)
    for wanted in ("possible", "sure"):
        box = desk.page.locator("#rows .reach[data-key='1-1']").bounding_box()
        desk.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        desk.settle()
        assert desk.links()["1-1"] == wanted


def test_dragging_over_two_phrases_links_all_of_their_words_in_one_step(visit):
    desk = Desk.begun(visit).go_to(3)
    before = desk.links()
    desk.drag("source", 2, 4).drag("target", 4, 6)
    phrase = {f"{i}-{j}" for i in (2, 3, 4) for j in (4, 5, 6)}
    assert phrase <= desk.links().keys()
    desk.key("Control+z")
    assert desk.links() == before
    desk.key("Control+y")
    assert phrase <= desk.links().keys()
    # The same gesture again takes them away.
    desk.drag("target", 4, 6).drag("source", 4, 2)
    assert not phrase & desk.links().keys()


def test_a_word_without_counterpart_is_marked_on_purpose(visit):
    desk = Desk.begun(visit)
    before = desk.pair()
    desk.word("source", 1).focus()
    desk.key("n")
    after = desk.pair()
    assert after["nulls"] == {"s1": True}
    assert after["links"].keys() == before["links"].keys() - {"1-1"}
    assert "without a counterpart" in desk.word("source", 1).get_attribute("aria-label")
    desk.key("Control+z")
    assert desk.pair() == before
    desk.key("n")
    desk.link(1, 1)
    assert desk.pair()["nulls"] == {}


def test_the_keyboard_alone_suffices(visit):
    desk = Desk.begun(visit).go_to(3)
    page = desk.page
    desk.key("w")  # to the words
    assert page.evaluate("() => document.activeElement.dataset.index") == "0"
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Home")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    desk.key("Enter")
    assert {f"{i}-{j}" for i in (2, 3, 4) for j in (4, 5)} <= desk.links().keys()
    desk.word("target", 4).focus()
    desk.key("l", "p")
    assert sum(state == "possible" for state in desk.links().values()) == 1
    desk.key("Delete")
    assert "possible" not in desk.links().values()
    desk.key("c")
    page.keyboard.type("Is ‘ten’ right?")
    page.keyboard.press("Escape")
    desk.settle()
    assert desk.pair()["comment"] == "Is ‘ten’ right?"
    desk.key("d")  # done, and on to the next that is not
    assert page.input_value("#step") == "1"
    assert desk.project()["pairs"][2]["done"] is True
    assert page.inner_text("#progress-text") == "1 of 3 pairs done"
    desk.key("PageDown", "d")
    assert page.input_value("#step") == "1"
    desk.key("d")
    assert page.inner_text("#progress-text") == "3 of 3 pairs done"
    desk.key("Control+z")
    assert desk.project()["pairs"][0]["done"] is False
    desk.key("?")
    assert page.is_visible("#help")
    page.keyboard.press("Escape")
    assert page.is_hidden("#help")


def test_letters_can_be_switched_off(visit):
    desk = Desk.begun(visit)
    desk.key("?")
    desk.page.uncheck("#letters")
    desk.page.click("#help-close")
    desk.word("source", 1).focus()
    desk.key("n")
    assert desk.pair()["nulls"] == {}


def test_words_are_collected_by_taps(visit):
    desk = Desk.begun(visit, width=390, height=844, has_touch=True).go_to(3)
    desk.page.tap("#several")
    for side, index in (("source", 2), ("source", 4), ("target", 6)):
        desk.word(side, index).tap()
    desk.page.tap("#link-several")
    desk.settle()
    assert {"2-6", "4-6"} <= desk.links().keys()
    assert desk.page.is_hidden("#link-several")


def test_undo_goes_through_comments_flags_and_links_of_all_pairs(visit):
    desk = Desk.begun(visit)
    start = desk.project()
    desk.link(0, 6)
    desk.page.fill("#comment", "first")
    desk.page.check("#done")
    desk.settle().go_to(2).link(0, 2)
    changed = desk.project()
    for _ in range(4):
        desk.key("Control+z")
    assert desk.project() == start
    assert desk.page.is_disabled("#undo")
    assert desk.page.input_value("#step") == "1", "undoing goes to where it undoes"
    for _ in range(4):
        desk.key("Control+Shift+z")
    assert desk.project() == changed


def test_a_comment_belongs_to_the_pair_it_was_typed_for(visit):
    desk = Desk.begun(visit)
    desk.page.click("#comment")
    desk.page.keyboard.type("about the first")
    desk.page.keyboard.press("PageDown")
    desk.settle()
    assert desk.page.input_value("#comment") == ""
    comments = [pair["comment"] for pair in desk.project()["pairs"]]
    assert comments == ["about the first", "", ""]


def test_swapped_sides_and_columns_change_the_drawing_and_not_the_links(visit):
    desk = Desk.begun(visit)
    before = desk.links()
    desk.page.click("#swap")
    assert desk.word("source", 0).inner_text() == "The"
    desk.link(6, 0)
    assert desk.links() == {**before, "0-6": "sure"}
    desk.page.click("#swap")
    desk.page.check("#desk input[name=view][value=columns]", force=True)
    desk.settle()
    first, last = (desk.word("source", index).bounding_box() for index in (0, 5))
    assert last["y"] > first["y"] + 100
    desk.link(0, 6)
    assert desk.links() == before


def test_doubts_come_one_after_the_other_the_least_certain_first(visit):
    desk = Desk.begun(visit)
    pairs = desk.project()["pairs"]
    doubts = [
        (1 - score if linked else score, place + 1, key)
        for place, pair in enumerate(pairs)
        for linked, field in ((True, "suggested"), (False, "faint"))
        for key, score in pair[field].items()
    ]
    for _, number, key in sorted(doubts, reverse=True)[:3]:
        if desk.page.is_hidden("#confirm"):
            desk.key("t")
        assert desk.page.input_value("#step") == str(number)
        assert desk.page.locator(f"#rows .link.lit[data-key='{key}']").count() == 1
        desk.page.click("#confirm")  # goes to the next doubt
        desk.settle()
        assert desk.project()["pairs"][number - 1]["checked"][key] is True


def test_search_finds_words_and_linked_words(visit):
    desk = Desk.begun(visit)
    desk.page.fill("#search", "smoking")
    desk.page.press("#search", "Enter")
    assert desk.page.input_value("#step") == "3"
    desk.page.fill("#search", "es = it")
    desk.page.press("#search", "Enter")
    assert desk.page.input_value("#step") == "2"
    desk.page.fill("#search", "es = raining")
    desk.page.press("#search", "Enter")
    assert desk.page.input_value("#step") == "2"
    desk.page.click("#list-box summary")
    desk.page.wait_for_selector("#list >> text=No pair matches the search.")
