from .resnet import make_resnet
