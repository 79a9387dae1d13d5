"""The report page: one HTML file about a forest, without network and without scripts."""

from silvan.app.report.page import render_report, write_report
from silvan.app.report.subject import Subject

__all__ = ["Subject", "render_report", "write_report"]
