"""How the site is built: ``make docs``."""

import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # examples run two at a time
sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import kernelect

project = "kernelect"
author = "The kernelect developers"
copyright = author
version = release = kernelect.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.doctest",
    "numpydoc",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "sphinxcontrib.bibtex",
    "chart",
    "commands",
    "layers",
    "links",
    "mathml",
    "reference",
    "strips",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "_ext", "check.py", "parts.py", "pictures.py", "gallery/*.py", "gallery/*.ipynb"]
nitpicky = True

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_typehints = "none"
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"/plot_",
    "matplotlib_animations": False,
    "remove_config_comments": True,
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "abort_on_example_error": True,
    "capture_repr": (),  # what an example prints is its answer; the value of its last line is none
    "parallel": 2,
    "within_subsection_order": "FileNameSortKey",
}
bibtex_bibfiles = ["ideas/references.bib"]
bibtex_default_style = "unsrt"

doctest_test_doctest_blocks = ""  # docstrings are run by the tests
doctest_global_setup = "import warnings; warnings.simplefilter('error')"

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "kernelect"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
