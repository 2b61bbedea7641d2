import numpy as np


def ranks_of(sim):
    order = np.argsort(-sim, axis=1)
    return (order == np.arange(len(sim))[:, None]).argmax(axis=1)


def recall_at(sim, ks=(1, 5)):
    ranks = ranks_of(sim)
    return {f"R@{k}": float((ranks < k).mean()) for k in ks}


def report(feats):
    ids = feats["id"].numpy()
    image, text = (feats[k].numpy() for k in ("image", "text"))
    order = np.argsort(ids)
    sim = image[order] @ text[order].T
    return {"i2t": recall_at(sim), "t2i": recall_at(sim.T), "median": float(np.median(ranks_of(sim)))}
