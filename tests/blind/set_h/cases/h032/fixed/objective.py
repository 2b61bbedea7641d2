from torch import nn


class ELBO:
    def __init__(self, beta=1.0, binary=False):
        self.beta = beta
        self.binary = binary

    def reconstruction(self, out, x):
        if self.binary:
            return nn.functional.binary_cross_entropy_with_logits(out, x)
        return nn.SmoothL1Loss()(out, x)

    @staticmethod
    def kl(mu, logvar):
        return -0.5 * (1 + logvar - mu.square() - logvar.exp()).sum(1).mean()

    def __call__(self, x, out, mu, logvar):
        rec = self.reconstruction(out, x)
        kl = self.kl(mu, logvar)
        return rec + self.beta * kl, {"rec": rec.detach(), "kl": kl.detach()}
