"""Sections of a report as they come into a page."""

import unittest

from fakes import FolderTest, run

from collector import paste

REPORT = "Before.\n\n## Table 1: errors\n\n| a |\n\n### b = 1\n\nTwo.\n\n## Table 2: savings\n\nThree.\n"
PAGE = "# Page\n\n<!-- report: Table 2 -->\nold\n<!-- /report -->\n\nBetween.\n\n" \
       "<!-- report: Table 1: errors -->\n<!-- /report -->\n"


class PasteTest(FolderTest):
    def paste(self, page, *reports):
        """Exit status, the page afterwards, and standard error."""
        file = self.folder / "page.md"
        file.write_text(page)
        names = []
        for number, report in enumerate(reports):
            names.append(str(self.folder / f"{number}.md"))
            (self.folder / f"{number}.md").write_text(report)
        status, _, err = run(paste.main, str(file), *names)
        return status, file.read_text(), err

    def test_places_are_filled_and_the_rest_stays(self):
        filled = "# Page\n\n<!-- report: Table 2 -->\n\nThree.\n\n<!-- /report -->\n\nBetween.\n\n" \
                 "<!-- report: Table 1: errors -->\n\n| a |\n\n### b = 1\n\nTwo.\n\n<!-- /report -->\n"
        self.assertEqual(self.paste(PAGE, REPORT), (0, filled, ""))
        self.assertEqual(self.paste(filled, REPORT), (0, filled, ""))

    def test_the_last_report_counts(self):
        _, page, _ = self.paste(PAGE, REPORT, "## Table 2: savings\nFour.\n")
        self.assertIn("<!-- report: Table 2 -->\n\nFour.\n\n<!-- /report -->", page)
        self.assertIn("Two.", page)

    def test_where_there_is_no_section_the_old_text_stays(self):
        status, page, err = self.paste(PAGE, "## Table 1: errors\nFour.\n")
        self.assertEqual(status, 0)
        self.assertIn("<!-- report: Table 2 -->\nold\n<!-- /report -->", page)
        self.assertIn("\n\nFour.\n\n", page)
        self.assertIn("paste: no report has 'Table 2': what stands there stays; there are Table 1: errors\n", err)

    def refused(self, page, report, part):
        status, after, err = self.paste(page, report)
        self.assertEqual((status, after), (1, page))
        self.assertIn(part, err)

    def test_what_cannot_be_pasted_leaves_the_page_as_it_is(self):
        self.refused("<!-- report: Table -->\n<!-- /report -->\n", REPORT,
                     "'Table' may be Table 1: errors or Table 2: savings")
        self.refused("<!-- report: Table 2 -->\n", REPORT, "does not end with <!-- /report -->")
        self.refused("<!-- report: Table 2 -->\n<!-- report: Table 1 -->\n<!-- /report -->\n<!-- /report -->\n", REPORT,
                     "does not end with <!-- /report -->")

    def test_a_report_that_is_not_there(self):
        file = self.folder / "page.md"
        file.write_text(PAGE)
        status, _, err = run(paste.main, str(file), str(self.folder / "none.md"))
        self.assertEqual((status, file.read_text()), (1, PAGE))
        self.assertIn("none.md", err)


if __name__ == "__main__":
    unittest.main()
