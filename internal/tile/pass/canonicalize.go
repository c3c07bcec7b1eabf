package pass

import "github.com/tegula-lang/tegula/internal/tile"

// maxWalks bounds how often canonicalize goes over a function. One walk finds all but what
// flows around loops, where each further walk frees at least one more carried value.
const maxWalks = 8

// canonicalize folds constants and applies the rules of rulesOf and controlRules.
func canonicalize(f *tile.Func) { newRewriter(f).run() }

// run walks until nothing more is found.
func (r *rewriter) run() {
	for range maxWalks {
		if !r.walk() {
			return
		}
	}
}

// numCodes is more than the number of operation codes.
const numCodes = 256

// rulesOf gives the rules of each operation of one result; the first that matches wins. It
// is filled by init because the rules come back to it through rewriter.emit.
var rulesOf [numCodes][]rule

func init() {
	rulesOf = [numCodes][]rule{
		tile.OpAdd:        {byIdentity, sameConsts, addToSub},
		tile.OpSub:        {byIdentity, subConst, subOfSum},
		tile.OpMul:        {byIdentity, sameConsts},
		tile.OpDivU:       {byIdentity, divPowerOfTwo},
		tile.OpRemU:       {byIdentity, remPowerOfTwo},
		tile.OpAnd:        {byIdentity, sameConsts},
		tile.OpOr:         {byIdentity, sameConsts},
		tile.OpMinS:       {byIdentity, sameConsts},
		tile.OpMinU:       {byIdentity, sameConsts},
		tile.OpMaxS:       {byIdentity, sameConsts},
		tile.OpMaxU:       {byIdentity, sameConsts},
		tile.OpXor:        {byIdentity, sameConsts, notOfCompare},
		tile.OpShl:        {byIdentity, shiftConsts},
		tile.OpShrS:       {byIdentity, shiftConsts},
		tile.OpShrU:       {byIdentity, shiftConsts},
		tile.OpDivS:       {byIdentity},
		tile.OpRemS:       {byIdentity},
		tile.OpMulHiU:     {byIdentity},
		tile.OpFAdd:       {byIdentity},
		tile.OpFSub:       {byIdentity},
		tile.OpFMul:       {byIdentity},
		tile.OpFDiv:       {byIdentity},
		tile.OpFDivRN:     {byIdentity},
		tile.OpFMin:       {byIdentity},
		tile.OpFMax:       {byIdentity},
		tile.OpFNeg:       {involution},
		tile.OpAbsI:       {idempotent},
		tile.OpAbsF:       {idempotent},
		tile.OpFloor:      {idempotent},
		tile.OpCeil:       {idempotent},
		tile.OpCmpI:       {compareConstRight, compareSame, compareLimit, compareBool},
		tile.OpSelect:     {selectKnown, selectBool, selectNot},
		tile.OpTrunc:      {truncOfCast},
		tile.OpExtS:       {extOfExt},
		tile.OpExtU:       {extOfExt},
		tile.OpFExt:       {fextOfFExt},
		tile.OpFTrunc:     {ftruncOfFExt},
		tile.OpSToF:       {stofOfExt},
		tile.OpUToF:       {utofOfExt},
		tile.OpBitcast:    {bitcastOfBitcast},
		tile.OpIntToPtr:   {ptrOfInt},
		tile.OpPtrToInt:   {intOfPtr},
		tile.OpSplat:      {splatConst},
		tile.OpBroadcast:  {sameType, ofUniform, broadcastOfBroadcast},
		tile.OpExpandDims: {ofUniform},
		tile.OpReshape:    {sameType, ofUniform, reshapeOfReshape},
		tile.OpTrans:      {ofUniform, transOfTrans, transIdentity},
		tile.OpCat:        {ofUniformPair},
		tile.OpJoin:       {ofUniformPair, joinOfSplit},
		tile.OpRange:      {rangeOfOne},
		tile.OpHint:       {hintOfConst, hintAgain},
		tile.OpAddPtr:     {addptrConsts, addptrExtended},
		tile.OpLoad:       {loadMask},
		tile.OpAtomicRMW:  {atomicMask},
	}
}
