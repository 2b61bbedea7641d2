"""A sample of the regression programs, run by torch before and after fixes: `benchmarks/fix_truth.py` runs all of them."""

from __future__ import annotations

import pytest

from executed_fixes import ALL, WAYS, Story, fixed_stories, is_mistake, run_stories
from regression_sets import all_programs

EVERY = 149

MENDED = (
    "set_e/e010",  # the parts of a batch that a method unpacks
    "set_e/e014",  # a module in an object that is none
    "set_ee/ee023",  # what inference mode made
    "set_s/s21",  # a module that is moved on one path only
    "set_v/v11_batchdict",  # a transfer that is dropped in a loop over a dict
    "set_x/x25_beam_decoder",  # a tensor in a named tuple, which has no `.to`
    "set_z/z006",  # numbers and tensors in one dict
)


@pytest.fixture(scope="module")
def stories() -> list[Story]:
    programs = all_programs()
    chosen = {each.id: each for each in (*programs[::EVERY], *(one for one in programs if one.id in MENDED))}
    found = fixed_stories(chosen.values())
    run_stories(found)
    return [each for each in found if not each.left_out]


def test_nothing_is_silent_that_is_still_raised(stories: list[Story]) -> None:
    assert not [(each.case.id, way) for each in stories for way in WAYS if each.is_silenced(way)]


def test_nothing_that_ran_is_broken(stories: list[Story]) -> None:
    assert not [(each.case.id, way) for each in stories for way in WAYS if each.is_broken(way)]


def test_what_was_mended_is_cured(stories: list[Story]) -> None:
    assert {each.case.id for each in stories if is_mistake(each) and each.is_cured(ALL)} >= {*MENDED}
