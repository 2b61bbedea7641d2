import numpy as np
import torch
from torch import nn


def inverse_frequency(labels, num_classes):
    counts = np.bincount(labels, minlength=num_classes).astype(np.float32)
    weights = counts.sum() / np.maximum(counts, 1) / num_classes
    return torch.from_numpy(weights)


def build_criterion(labels, num_classes, smoothing=0.0):
    weights = inverse_frequency(labels, num_classes)
    return nn.CrossEntropyLoss(weight=weights, label_smoothing=smoothing)
