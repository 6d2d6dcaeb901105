from sparring.reports.csv_report import cell, plain
from tables import table


@table("text", ["=1+1", "+1", "-2+3", "@SUM(A1)", "\t=1", "  =1", "\r=1", "\n1", "|calc", "%x", "=cmd|' /C calc'!A0"])
def test_text_that_a_spreadsheet_would_compute_is_quoted_and_unquoted(text: str):
    assert (cell(text), plain(cell(text))) == (f"'{text}", text)


@table("text", ["", "two words", " a=b", "'quoted'", "5 > 3", "'tis"])
def test_other_text_stays_as_it_is(text: str):
    assert (cell(text), plain(text)) == (text, text)
