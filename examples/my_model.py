"""A model of your own: `eyechart run examples/my_model.py:Darkest chart/locate`."""

from eyechart.values import Box, Request


class Darkest:
    """Points at the darkest part of the picture: a floor that any detector should beat."""

    gives_boxes = True

    def __init__(self, margin: int = 32) -> None:
        self.margin = margin

    def answer(self, request: Request) -> list[Box]:
        """One box: xyxy, pixels of the original picture."""
        assert request.image is not None
        grey = request.image.open().convert("L")
        limit = grey.getextrema()[0] + self.margin
        return [grey.point(lambda value: 255 * (value <= limit)).getbbox()]
