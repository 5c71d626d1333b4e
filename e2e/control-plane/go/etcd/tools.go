//go:build tools

// Package tools pins the etcd binary of the end-to-end control plane.
package tools

import _ "go.etcd.io/etcd/server/v3"
