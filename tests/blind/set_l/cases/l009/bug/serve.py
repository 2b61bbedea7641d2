import numpy as np

from service import DigitPredictor, build_model

PREDICTORS = {"digits": DigitPredictor}


def handle(request, cache={}):
    kind = request["kind"]
    if kind not in cache:
        cache[kind] = PREDICTORS[kind](build_model())
    return [{"label": l, "score": round(s, 3)} for l, s in cache[kind].predict(request["items"])]


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    images = [rng.integers(0, 255, (28, 28)) for _ in range(6)]
    print(handle({"kind": "digits", "items": images}))
