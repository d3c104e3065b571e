"""Screenshots as arrays."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from colbench_gym.errors import MissingExtra

if TYPE_CHECKING:
    import numpy as np

    from colbench_gym.grading.render import Render


def pixels(render: Render) -> np.ndarray:
    """The screenshot as a `uint8` array of shape `(height, width, 3)`, RGB.

    Raises:
        MissingExtra: the extra `frontend` is not installed.
    """
    try:
        import numpy as np
        from PIL import Image
    except ImportError:
        raise MissingExtra("frontend", "Looking at a page") from None
    with Image.open(BytesIO(render.png)) as picture:
        return np.asarray(picture.convert("RGB"))
