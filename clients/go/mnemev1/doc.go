// Package mnemev1 holds the stubs of the API of Mneme, generated from its protos.
package mnemev1
