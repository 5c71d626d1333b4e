module reroll/e2e/control-plane/secrets-store-csi-driver

go 1.26.0

require sigs.k8s.io/secrets-store-csi-driver v1.6.0
