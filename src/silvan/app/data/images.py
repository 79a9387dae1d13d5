"""Folders of images: the name of the folder is the class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from silvan.app.data.dataset import Batch, Dataset, Layout, Request, Source
from silvan.app.errors import DataError, UsageError

_SUFFIXES = frozenset((".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".pgm"))
_GREY_MODES = frozenset(("1", "L", "LA", "I", "I;16", "F"))


class ImageFolder(Source):
    """Images as uint8 rows of shape (height, width), or (height, width, 3) in colour."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        found = sorted(path.rglob("*"))
        self.files = [file for file in found if file.suffix.lower() in _SUFFIXES and file.is_file()]
        if not self.files:
            raise DataError(
                f"{path} has no images; a folder of images has one folder for each class, with "
                "files such as class_a/1.png in it."
            )

    def read(self, request: Request) -> Dataset:
        """All images; each must lie in the folder of its class."""
        if request.drop or request.target:
            raise UsageError(
                "the class of an image is the name of its folder; leave out --target and --drop."
            )
        if request.kind not in (None, "image"):
            raise UsageError(f"{self.path} has images; leave out --kind {request.kind}.")
        labels = [file.relative_to(self.path).parts[0] for file in self.files]
        loose = [file.name for file in self.files if file.parent == self.path]
        if loose:
            raise DataError(
                f"{len(loose)} images of {self.path} lie in no class, for example {loose[0]}; move "
                "each image to a folder named after its class."
            )
        with _opened(self.files[0]) as first:
            colour = first.mode not in _GREY_MODES
            size = request.shape or (first.height, first.width)
        if len(size) not in (2, 3):
            raise UsageError("--shape of images is HEIGHTxWIDTH, for example 28x28.")
        shape = (size[0], size[1], 3) if colour else (size[0], size[1])
        images = read_images(self.files, shape, resize=request.shape is not None)
        notes = ["in colour" if colour else "in grey"]
        if request.shape is not None:
            notes.append(f"resized to {size[0]}x{size[1]}")
        return Dataset(images, np.array(labels, dtype=np.str_), "image", "folder", tuple(notes))

    def batches(self, layout: Layout, n_rows: int) -> Iterator[Batch]:
        """Blocks of images in the size of the forest, with their paths."""
        shape = layout.shape
        if shape is None or len(shape) not in (2, 3):
            raise DataError(
                f"{self.path} has images but the forest was fitted on rows of {layout.n_features} "
                "values; pass data of the kind that it was fitted on."
            )
        # Decoded images are large: a thousandth as many as rows of a table.
        n_rows = max(1, min(n_rows, 4_000_000 // layout.n_features))
        for start in range(0, len(self.files), n_rows):
            files = self.files[start : start + n_rows]
            names = [str(file.relative_to(self.path)) for file in files]
            yield Batch(read_images(files, shape, resize=True), {"file": names})

    def count(self) -> int | None:
        """Number of files."""
        return len(self.files)


def read_images(files: Sequence[Path], shape: tuple[int, ...], *, resize: bool) -> NDArray[Any]:
    """Images of one shape; of another size they are resized or refused."""
    rows = np.empty((len(files), *shape), dtype=np.uint8)
    for row, file in zip(rows, files, strict=True):
        with _opened(file) as image:
            if (image.height, image.width) != shape[:2]:
                if not resize:
                    raise DataError(
                        f"{file} is {image.height}x{image.width} pixels but others are "
                        f"{shape[0]}x{shape[1]}; pass --shape to resize all of them."
                    )
                image = image.convert("RGB" if len(shape) == 3 else "L")
                image = image.resize((shape[1], shape[0]), Image.Resampling.BILINEAR)
            row[...] = np.asarray(image.convert("RGB" if len(shape) == 3 else "L"))
    return rows


def _opened(file: Path) -> Image.Image:
    try:
        image = Image.open(file)
        image.load()
    except (UnidentifiedImageError, OSError, SyntaxError) as error:
        raise DataError(f"{file} is not an image that can be read: {error}.") from None
    return image
