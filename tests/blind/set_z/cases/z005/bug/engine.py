from typing import Any, Dict

import torch

from metrics import Accuracy, MetricBundle


def train_one_epoch(model, loader, optimizer, criterion, device) -> float:
    model.train()
    total, n = 0.0, 0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(x)
        n += len(x)
    return total / n


def evaluate(model, loader, device) -> Dict[str, Any]:
    was_training = model.training
    model.eval()
    bundle = MetricBundle(acc=Accuracy())
    raw = []
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        logits = model(x)
        bundle.update_all(logits, y)
        raw.append(logits)
    model.train(was_training)
    return {"metrics": bundle.compute(), "raw": raw}
