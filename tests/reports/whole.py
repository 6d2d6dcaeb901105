"""A report together with the conversations that it is about, which are shown to its listeners one by one."""

from dataclasses import dataclass

from sparring.reports.formats import Listener, Report
from sparring.reports.html.report import MAX_BYTES, Page
from sparring.reports.junit import Junit
from sparring.reports.reported import ReportedConversation
from sparring.reports.service_results import row_without_result


@dataclass(frozen=True)
class Whole(Report):
    told: tuple[ReportedConversation, ...] = ()

    def show(self, listener: Listener) -> None:
        listener.found(self.summary.findings)
        for each in self.told:
            listener.add(each)


def batch_html(told: Whole, *, largest: int = MAX_BYTES, whole: bool = True) -> str:
    page = Page(largest=largest, whole=whole)
    for each in told.told:
        page.count(row_without_result(0, each))
        page.measure(each.conversation)
    shown = page.examples(told.summary.findings)
    for each in told.told:
        if whole or each.conversation.id in shown:
            page.add(each)
    return page.text(told)


def batch_junit(whole: Whole) -> str:
    suites = Junit()
    whole.show(suites)
    return suites.text(whole)
