import functools
import math

import torch
import torch.nn.functional as F

from fused import StepInBackward
from seqmodel import SeqModel


def cosine(step, total, peak):
    return 0.5 * peak * (1 + math.cos(math.pi * step / total))


def copy_task(n, length=10, vocab=32):
    ids = torch.randint(1, vocab, (n, length))
    return ids, ids.roll(1, dims=1)


device = "cuda" if torch.cuda.is_available() else "cpu"
model = SeqModel().to(device)
stepper = StepInBackward(model.parameters(), functools.partial(torch.optim.Adam, lr=1e-3))
TOTAL = 5
for step in range(TOTAL):
    stepper.set_lr(cosine(step, TOTAL, 2e-3))
    x, y = (t.to(device) for t in copy_task(8))
    loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
    loss.backward()
    print(step, round(loss.item(), 4), stepper.updates)
