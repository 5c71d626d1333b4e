//go:build tools

// Package tools pins the KWOK binary (fake kubelets) of the end-to-end control plane.
package tools

import _ "sigs.k8s.io/kwok/cmd/kwok"
