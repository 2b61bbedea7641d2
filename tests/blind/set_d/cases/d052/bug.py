import torch
from torch.autograd import Variable


def predict(model, batches):
    model.eval()
    labels = []
    for x in batches:
        x = Variable(x, volatile=True)
        labels.extend(model(x).argmax(1).tolist())
    return labels
