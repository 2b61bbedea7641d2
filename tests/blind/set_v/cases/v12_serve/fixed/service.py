import random

from predictor import Predictor

FIELDS = ("age", "income", "visits", "tenure")


def fake_rows(n):
    return [{f: random.random() for f in FIELDS} for _ in range(n)]


def handle(request, predictor):
    rows = request["rows"]
    scores = predictor(rows)
    return sorted(zip(scores, range(len(rows))), reverse=True)[: request["top"]]


def serve():
    predictor = Predictor.load(len(FIELDS))
    for top in (1, 3):
        print(handle({"rows": fake_rows(9), "top": top}, predictor))


if __name__ == "__main__":
    serve()
