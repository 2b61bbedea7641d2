import torch
import torch.nn.functional as F


@torch.no_grad()
def soft_targets(teachers, x, temp):
    return torch.stack([(t(x) / temp).softmax(-1) for t in teachers]).mean(0)


def kd_loss(logits, soft, hard, temp, mix):
    soft_term = F.kl_div((logits / temp).log_softmax(-1), soft, reduction="batchmean") * temp ** 2
    return mix * soft_term + (1 - mix) * F.cross_entropy(logits, hard)
