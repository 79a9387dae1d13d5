"""Reading data: tables, arrays, folders of images, files of time series."""

from silvan.app.data.dataset import Batch, Dataset, Layout, Request, Source
from silvan.app.data.dialect import Spelling
from silvan.app.data.opening import open_source

__all__ = ["Batch", "Dataset", "Layout", "Request", "Source", "Spelling", "open_source"]
