// SPDX-License-Identifier: Apache-2.0
/// The whole C interface: C99, and C++ where a program would rather not see the library's own
/// (fastnorm.hpp), of which this is a thin layer. Everything that that offers is here.
///
/// Errors. A function that can fail returns a fastnorm_status. Unless its documentation says
/// otherwise, a failed call has launched nothing and written nothing but the message, which
/// fastnorm_last_error() returns. No exception leaves the library, that of a lack of memory
/// included.
///
/// Structs. Those that may grow begin with struct_size, the size that they have in the caller's
/// header. Begin with the struct's own _init function, which sets it, and the defaults:
///
///     fastnorm_norm_desc desc;
///     fastnorm_norm_desc_init(&desc, sizeof desc);
///
/// Later versions add members at the end alone, and 0 in each of them means what the versions
/// before did. A program and a library of different versions so agree as follows:
///
/// - A struct that is smaller than the library's (an older program): the members that it lacks have
///   their defaults.
/// - One that is larger (a newer program): the call works if all bytes beyond what the library
///   knows are 0, and is FASTNORM_UNSUPPORTED if not: it asks for what the library cannot do.
/// - A size that no version has had, below that of version 0.1 or above 4096, is
///   FASTNORM_INVALID_ARGUMENT. So is most memory that nobody has initialised.
///
/// Values of enumerations stay what they are. They are passed as int32_t, whose size no compiler's
/// option changes.
///
/// Ownership. What a struct points to is read during the call alone, apart from the tensors. Where
/// a pointer to a struct or a string may be null, that is said.
///
/// Threads may call anything at the same time, as long as none destroys what another one uses. So
/// may those of an OpenMP region, the process's first call included.
///
/// fork(). A child may call the library. Where the parent has called it before, the child's calls
/// on the host run on the calling thread alone, with the same results, since the other threads are
/// the parent's; so is a device that the parent has used, as CUDA has it. Processes that are to
/// have all threads, or a device, are forked before the parent's first call and, with OpenMP,
/// before its first region; or they are started anew, as Python's multiprocessing does with
/// "spawn". What another thread of the parent has locked at the fork stays so in the child.
#pragma once

#include <fastnorm/export.h>
#include <fastnorm/version.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Errors */

typedef int32_t fastnorm_status;
enum {
  FASTNORM_OK = 0,
  FASTNORM_INVALID_ARGUMENT = 1,  ///< The request can never be right.
  FASTNORM_UNSUPPORTED = 2,       ///< A sensible one that this build or device does not offer.
  FASTNORM_UNAVAILABLE = 3,       ///< No usable device, or its runtime is already shut down.
  FASTNORM_OUT_OF_MEMORY = 4,     ///< Memory that the library itself needed could not be had.
  FASTNORM_DEVICE_ERROR = 5       ///< The device's runtime refused or failed.
};

/// Of the calling thread's last call that failed: a sentence that names the argument, its value and
/// what is allowed, or carries the words of the device's runtime. Members are named as they are
/// here, values of enumerations as their _name functions do. "" where none has failed; a call that
/// succeeds leaves it as it is. The library owns the text, which holds until the thread's next
/// failing call, or its end.
FASTNORM_API const char* fastnorm_last_error(void);

/// "ok", "invalid_argument", ...
FASTNORM_API const char* fastnorm_status_name(fastnorm_status status);

/* Types. Each _name function returns the lower-case name of a value ("group_norm", "f32", "relu"),
   or "unknown ..."; the text is the library's, for ever. */

typedef int32_t fastnorm_op;
enum {
  FASTNORM_OP_GROUP_NORM = 0,
  FASTNORM_OP_INSTANCE_NORM = 1,
  FASTNORM_OP_LAYER_NORM = 2,
  FASTNORM_OP_RMS_NORM = 3
};
FASTNORM_API const char* fastnorm_op_name(fastnorm_op op);

typedef int32_t fastnorm_dtype;
enum {
  FASTNORM_DTYPE_F32 = 0,
  FASTNORM_DTYPE_F16 = 1,   ///< IEEE half precision, CUDA's __half.
  FASTNORM_DTYPE_BF16 = 2,  ///< bfloat16, CUDA's __nv_bfloat16.
  FASTNORM_DTYPE_F64 = 3
};
FASTNORM_API const char* fastnorm_dtype_name(fastnorm_dtype type);
/// Bytes of one element; 0 for no type.
FASTNORM_API size_t fastnorm_dtype_size(fastnorm_dtype type);

/// Channels-first is N,C,spatial... in memory (NCHW, NCDHW); channels-last is N,spatial...,C.
typedef int32_t fastnorm_layout;
enum { FASTNORM_LAYOUT_CHANNELS_FIRST = 0, FASTNORM_LAYOUT_CHANNELS_LAST = 1 };
FASTNORM_API const char* fastnorm_layout_name(fastnorm_layout layout);

/// Applied to each value after the affine map; NaN passes through all of them.
typedef int32_t fastnorm_activation;
enum {
  FASTNORM_ACTIVATION_NONE = 0,
  FASTNORM_ACTIVATION_RELU = 1,        ///< max(v, 0)
  FASTNORM_ACTIVATION_LEAKY_RELU = 2,  ///< v < 0 ? slope v : v
  FASTNORM_ACTIVATION_ELU = 3,         ///< v < 0 ? alpha (exp(v) - 1) : v
  FASTNORM_ACTIVATION_SILU = 4,        ///< v / (1 + exp(-v))
  FASTNORM_ACTIVATION_GELU = 5,        ///< v (1 + erf(v / sqrt(2))) / 2
  FASTNORM_ACTIVATION_GELU_TANH = 6,   ///< v (1 + tanh(sqrt(2 / pi) (v + 0.044715 v^3))) / 2
  FASTNORM_ACTIVATION_TANH = 7,
  FASTNORM_ACTIVATION_HARDSWISH = 8,  ///< v min(max(v + 3, 0), 6) / 6
  FASTNORM_ACTIVATION_CLAMP = 9       ///< min(max(v, lower), upper)
};
FASTNORM_API const char* fastnorm_activation_name(fastnorm_activation activation);

/// What is normalised: x, or its sum h with a residual.
typedef int32_t fastnorm_residual;
enum {
  FASTNORM_RESIDUAL_NONE = 0,
  /// h = x + residual rounded to x's type, as two separate operations would give it.
  FASTNORM_RESIDUAL_ROUNDED_SUM = 1,
  /// h as the accumulation type has it; only the stored sum is rounded.
  FASTNORM_RESIDUAL_EXACT_SUM = 2
};
FASTNORM_API const char* fastnorm_residual_name(fastnorm_residual residual);

/// What gamma's tensor holds.
typedef int32_t fastnorm_gamma_form;
enum {
  FASTNORM_GAMMA_FORM_FACTOR = 0,       ///< gamma itself
  FASTNORM_GAMMA_FORM_CENTRED_ZERO = 1  ///< gamma - 1; 1 + gamma is formed in accumulation type
};
FASTNORM_API const char* fastnorm_gamma_form_name(fastnorm_gamma_form form);

/// Whether (x - mean) * rstd is rounded before the affine map.
typedef int32_t fastnorm_normalised_rounding;
enum {
  FASTNORM_NORMALISED_ROUNDING_NONE = 0,
  /// To gamma's type, as models do that normalise in fp32 and scale in half.
  FASTNORM_NORMALISED_ROUNDING_AFFINE_TYPE = 1
};
FASTNORM_API const char* fastnorm_normalised_rounding_name(fastnorm_normalised_rounding rounding);

/// What a sample's own scale and shift do to the result of the affine map.
typedef int32_t fastnorm_modulation;
enum {
  FASTNORM_MODULATION_NONE = 0,
  FASTNORM_MODULATION_SCALE_SHIFT = 1  ///< v (1 + scale[sample, channel]) + shift[sample, channel]
};
FASTNORM_API const char* fastnorm_modulation_name(fastnorm_modulation modulation);

/// Where the tensors live. AUTOMATIC asks the pointers (the functions without a plan), or prefers a
/// device when there is one (fastnorm_plan_create, which sees no pointers).
typedef int32_t fastnorm_memory;
enum { FASTNORM_MEMORY_AUTOMATIC = 0, FASTNORM_MEMORY_HOST = 1, FASTNORM_MEMORY_DEVICE = 2 };
FASTNORM_API const char* fastnorm_memory_name(fastnorm_memory memory);

/// Where a plan's configuration may come from, short of forcing it.
typedef int32_t fastnorm_tuning;
enum {
  FASTNORM_TUNING_DATABASE = 0,  ///< The tuning databases first, then the heuristic.
  FASTNORM_TUNING_HEURISTIC = 1  ///< The heuristic alone.
};

/// Which launches a plan may consist of.
typedef int32_t fastnorm_launches;
enum {
  FASTNORM_LAUNCHES_ALL = 0,  ///< Whatever is fastest.
  /// None whose blocks wait for each other (cooperative grids, thread-block clusters). Those start
  /// once the device has room for all such blocks at once: work beside them may keep them waiting,
  /// and not every graph, such as the body of a conditional node under MPS, may contain them.
  FASTNORM_LAUNCHES_INDEPENDENT_BLOCKS = 1
};

/// The most extents that a tensor may have.
enum { FASTNORM_MAX_RANK = 16 };

/// A queue of device work: a cudaStream_t as it is. Null is the legacy default stream. Host back
/// ends ignore it: they return when the work is done.
typedef void* fastnorm_stream;

/* What is asked for */

/// What happens to a value between its normalisation and its store. Nothing of it costs memory
/// traffic but the tensors that it names in fastnorm_norm_args.
typedef struct fastnorm_epilogue {
  size_t struct_size;
  fastnorm_activation activation;  ///< Default: none.
  float slope;                     ///< leaky_relu: finite. Default: 0.01.
  float alpha;                     ///< elu: finite. Default: 1.
  float lower;                     ///< clamp: lower <= upper; neither is NaN. Default: -1 and 1.
  float upper;
  fastnorm_gamma_form gamma;                ///< Default: factor.
  fastnorm_normalised_rounding normalised;  ///< Default: none.
  /// Default: none. Ignored in fastnorm_norm_options, where it follows from scale and shift.
  fastnorm_modulation modulation;
} fastnorm_epilogue;

/// One normalization, without its pointers.
///
/// For each row, a set of elements that share their statistics, with h = x or x + residual:
///
///     mean = sum_i h_i / count          rstd = 1 / sqrt(sum_i (h_i - mean)^2 / count + eps)
///     y_i  = activation(((h_i - mean) * rstd * gamma + beta) * (1 + scale) + shift)
///
/// with gamma, beta, scale and shift of the element's channel. rms_norm has mean = 0 throughout.
///
/// group_norm: a row is a group of C / groups channels of one sample. Wu and He, "Group
/// Normalization", arXiv:1803.08494, equations 1-3 and 6.
/// instance_norm: a row is one channel of one sample. Ulyanov et al., "Instance Normalization",
/// arXiv:1607.08022.
/// layer_norm: a row is the last `normalized_rank` extents, and each of its elements is a channel.
/// Ba, Kiros and Hinton, "Layer Normalization", arXiv:1607.06450, equation 4.
/// rms_norm: the same without the mean. Zhang and Sennrich, "Root Mean Square Layer Normalization",
/// arXiv:1910.07467, equation 4 (with eps under the root).
///
/// A tensor without elements (N = 0 or an empty spatial extent) is no error: nothing is written.
/// Where a row's variance (rms_norm: mean square) exceeds the accumulation type, its outputs are
/// NaN, or right where a back end has the range.
typedef struct fastnorm_norm_desc {
  size_t struct_size;
  fastnorm_op op;  ///< Default: group_norm.
  int32_t rank;    ///< How many extents there are: at most FASTNORM_MAX_RANK. Default: 0.
  /// [rank], in elements, in the logical order whatever the layout in memory. group_norm,
  /// instance_norm: N, C, spatial...; rank >= 2, C >= 1. layer_norm, rms_norm: any, the last
  /// normalized_rank of them >= 1. Any extent >= 0 else. A tensor of the extents that are not 0 has
  /// fewer than 2^63 bytes. Default: null.
  const int64_t* extents;
  int64_t groups;  ///< group_norm: divides C. instance_norm: 0 or C. Else 0 or 1. Default: 0.
  /// Added to the variance; finite, >= 0. Kept in the accumulation type or better (fp32: what is
  /// below 1e-45 may count as 0). Default: 1e-5.
  double eps;
  /// layer_norm, rms_norm: trailing extents in a row. Else ignored. Default: 1.
  int32_t normalized_rank;
  /// x_type and y_type are equal, or one is f32 and the other f16 or bf16. Accumulation is in f64
  /// for f64, else in f32. Stores round to nearest even. Default of all three: f32.
  fastnorm_dtype x_type;       ///< Of x, residual and sum.
  fastnorm_dtype y_type;       ///< Of y.
  fastnorm_dtype affine_type;  ///< Of gamma, beta, scale and shift: x_type or f32.
  /// Of tensors that have no strides. layer_norm, rms_norm: channels_first, which is the default.
  fastnorm_layout layout;
  fastnorm_residual residual;  ///< Default: none.
  /// [rank]: how many elements apart neighbours along each extent of x, residual and sum lie, in
  /// the order of the extents. Null, the default: dense, in the order of the layout. A stride is at
  /// least 1 where its extent is above 1. The smaller strides reach over less than a larger one, so
  /// that no two elements share a place, and all of them over fewer than 2^63 bytes.
  ///
  /// What has a form is a tensor whose rows are runs of elements side by side, of one length and
  /// equally far apart (one run: a contiguous row; runs of one element: a column), in x and y
  /// alike. group_norm, instance_norm: a row's elements may be ordered as C, spatial or as spatial,
  /// C. layer_norm, rms_norm: two distances may lead from row to row, one within the other. All
  /// else is unsupported.
  const int64_t* x_strides;
  const int64_t* y_strides;           ///< The same, of y.
  const fastnorm_epilogue* epilogue;  ///< Null, the default: that of fastnorm_epilogue_init.
} fastnorm_norm_desc;

/// The tensors of one call, all null by default. The caller owns them all and keeps them alive
/// until the work is done. All lie in the plan's memory space. An output may be x or the residual
/// itself (in place), of the same type and strides; apart from that, no output may overlap another
/// tensor. What lies between the elements of a strided tensor is not read or written, and may
/// belong to another tensor of the same type and strides. Pointers lead to the first element, and
/// are aligned to their element size at least.
///
/// A channel, below, is one of C (group_norm, instance_norm), or an element of a row (layer_norm,
/// rms_norm). A sample is an index of the first extent; where that belongs to the row, there is one
/// sample.
typedef struct fastnorm_norm_args {
  size_t struct_size;
  const void* x;      ///< Input, as the descriptor's extents say. Null only where it is empty.
  void* y;            ///< Output, same shape.
  const void* gamma;  ///< [channels], or null for a factor of 1.
  const void* beta;   ///< [channels], or null for 0.
  /// Optional output, one a row ([N, groups] for group_norm), accumulation type. Null for rms_norm.
  void* mean;
  void* rstd;            ///< The same, of 1 / sqrt(variance + eps).
  const void* residual;  ///< Input like x; not null exactly where the descriptor asks for it.
  void* sum;             ///< Optional output x + residual, like x.
  /// [samples, channels], or null for 0; with FASTNORM_MODULATION_SCALE_SHIFT.
  const void* scale;
  const void* shift;  ///< The same.
} fastnorm_norm_args;

typedef struct fastnorm_plan_options {
  size_t struct_size;
  fastnorm_memory memory;  ///< Default: automatic.
  /// CUDA ordinal; -1, the default: the current device (functions without a plan: x's device).
  int32_t device;
  /// 1: only strategies whose results repeat bit for bit. 0, the default: all.
  int32_t deterministic;
  fastnorm_tuning tuning;      ///< Default: database.
  fastnorm_launches launches;  ///< Default: all.
  /// Force what runs, by name: "cuda", "kokkos"; "block_row", "split_atomic", ...;
  /// "threads=256,vec_width=4,..." as fastnorm_plan_config() returns it. Null, the default, or "":
  /// the library chooses. The environment variable FASTNORM_FORCE=backend[:strategy[:config]] does
  /// the same for the calls that leave all three empty.
  const char* backend;
  const char* strategy;
  const char* config;
} fastnorm_plan_options;

/// Each sets struct_size and the defaults stated above. `struct_size` is sizeof the caller's
/// struct, none of whose bytes beyond that are written; members that this library does not know are
/// 0. Null is let be.
FASTNORM_API void fastnorm_epilogue_init(fastnorm_epilogue* epilogue, size_t struct_size);
FASTNORM_API void fastnorm_norm_desc_init(fastnorm_norm_desc* desc, size_t struct_size);
FASTNORM_API void fastnorm_norm_args_init(fastnorm_norm_args* args, size_t struct_size);
FASTNORM_API void fastnorm_plan_options_init(fastnorm_plan_options* options, size_t struct_size);

/* Plan once, execute many times: the hot path without allocation or synchronisation */

/// A chosen kernel with its configuration for one descriptor on one device. It may be used by
/// several threads at once, each with a workspace of its own.
typedef struct fastnorm_plan fastnorm_plan;

/// Validates the descriptor, chooses and loads the kernels, and sets *plan, which the caller owns
/// (null on failure). A strategy that the device turns out to have no room for is passed over,
/// unless it is forced. `options` may be null, for the defaults.
/// Errors: invalid_argument (extents, normalized_rank, groups, eps, numbers of the epilogue, an
/// unknown name, options that there are not), unsupported (types, layout, or a problem that the
/// forced strategy, or every one, refuses, with the reasons), unavailable (no device, or no back
/// end for `memory`).
FASTNORM_API fastnorm_status fastnorm_plan_create(const fastnorm_norm_desc* desc,
                                                  const fastnorm_plan_options* options,
                                                  fastnorm_plan** plan);

/// Null is let be. Work that fastnorm_plan_execute has enqueued goes on, and so may graphs that
/// have captured it: neither needs the plan.
FASTNORM_API void fastnorm_plan_destroy(fastnorm_plan* plan);

/// Bytes of scratch memory that fastnorm_plan_execute needs, in the plan's memory space; may be 0.
FASTNORM_API size_t fastnorm_plan_workspace_bytes(const fastnorm_plan* plan);

/// Enqueues the work on `stream` (host back ends: does it) and returns. Allocates nothing, never
/// synchronises, and may be captured into a CUDA graph. The workspace may hold anything on entry;
/// it is the caller's, 16-byte aligned, its first fastnorm_plan_workspace_bytes() apart from every
/// tensor, and in use until the work is done. Where the device has less room than when the plan was
/// made (limits of MPS) and so refuses blocks that wait for each other, a kernel for pointers of
/// any alignment runs: as right, and slower.
/// Errors: invalid_argument (tensors that are missing, misaligned, overlapping, or there without
/// the descriptor's asking for them, a workspace that is null, too small, misaligned or over a
/// tensor), unsupported (no room for that kernel either), device_error (a refused launch). It does
/// not check that the device can access the pointers; the functions without a plan do.
FASTNORM_API fastnorm_status fastnorm_plan_execute(const fastnorm_plan* plan,
                                                   const fastnorm_norm_args* args, void* workspace,
                                                   size_t workspace_bytes, fastnorm_stream stream);

/// What a plan says of itself. Strings are the plan's, and end with it. Of a null plan: null, 0,
/// FASTNORM_MEMORY_AUTOMATIC and -1.

/// Back end ("cuda", "kokkos-host", "kokkos-cuda"), strategy and configuration that will run.
FASTNORM_API const char* fastnorm_plan_backend(const fastnorm_plan* plan);
FASTNORM_API const char* fastnorm_plan_strategy(const fastnorm_plan* plan);
FASTNORM_API const char* fastnorm_plan_config(const fastnorm_plan* plan);
/// One line: what will run, and why it was chosen
/// (forced | exact | bucket | nearest | same_arch | heuristic).
FASTNORM_API const char* fastnorm_plan_describe(const fastnorm_plan* plan);
/// Where the plan runs: host or device, and the device's ordinal.
FASTNORM_API fastnorm_memory fastnorm_plan_memory(const fastnorm_plan* plan);
FASTNORM_API int32_t fastnorm_plan_device(const fastnorm_plan* plan);

/* One call for the simple case. Plans are cached by descriptor, so a repeated call costs a hash
   lookup, the pointer checks and the launch. */

/// What most callers leave alone. Rows, samples and channels are those of fastnorm_norm_args, and
/// members have the defaults that they have elsewhere; all pointers are null.
typedef struct fastnorm_norm_options {
  size_t struct_size;
  double eps;
  fastnorm_dtype x_type;       ///< Of x, residual and sum.
  fastnorm_dtype y_type;       ///< Of y.
  fastnorm_dtype affine_type;  ///< Of gamma, beta, scale and shift: x_type or f32.
  /// Where x and y have their elements, as fastnorm_norm_desc states it. The residual and the sum
  /// lie as x.
  fastnorm_layout layout;
  /// How x and the residual are added; without a residual it does not matter. Default: rounded_sum.
  fastnorm_residual residual_sum;
  const int64_t* x_strides;  ///< [rank], or null.
  const int64_t* y_strides;  ///< The same.
  void* mean;                ///< Optional output, one a row, f32 (f64 for f64 x). Not for rms_norm.
  void* rstd;                ///< The same.
  const void* residual;      ///< Added to x before the normalisation; of x's shape. Null: none.
  void* sum;                 ///< Optional output x + residual, of x's type.
  const void* scale;         ///< [samples, channels]: v (1 + scale) + shift. Null: none.
  const void* shift;         ///< The same.
  /// Activation and the forms of gamma and the normalised value; may be null.
  const fastnorm_epilogue* epilogue;
  fastnorm_stream stream;
  const fastnorm_plan_options* plan;  ///< May be null.
} fastnorm_norm_options;

/// As the other _init functions.
FASTNORM_API void fastnorm_norm_options_init(fastnorm_norm_options* options, size_t struct_size);

/// Group normalization as fastnorm_norm_desc states it, with statistics over each of `groups` equal
/// parts of the C channels.
///
/// `extents` are `rank` numbers: N, C, spatial...; x and y hold their product, contiguous and
/// channels-first unless the options say otherwise, gamma and beta [C] each or null. All of them
/// are f32 unless the options say otherwise. `options` may be null, for the defaults.
///
/// Pointers may be device, managed, pinned or (back end for the host) plain memory; with
/// FASTNORM_MEMORY_AUTOMATIC the work runs on the device if x or y is device or managed memory,
/// else on the host if this build has a host back end and can access all of them. On a device the
/// work is enqueued on `options->stream` and the call returns at once; the library owns the
/// workspace, one per device and stream, and one more, kept until the process ends, for each graph
/// capture that a call takes part in (fastnorm_plan_execute takes the caller's instead). On the
/// host the call returns when y is written.
///
/// Errors: those of fastnorm_plan_create and fastnorm_plan_execute, and invalid_argument for a
/// pointer that the device cannot access.
FASTNORM_API fastnorm_status fastnorm_group_norm(const int64_t* extents, int32_t rank,
                                                 int64_t groups, const void* x, void* y,
                                                 const void* gamma, const void* beta,
                                                 const fastnorm_norm_options* options);

/// Instance normalization: the same with every channel a group of its own.
FASTNORM_API fastnorm_status fastnorm_instance_norm(const int64_t* extents, int32_t rank,
                                                    const void* x, void* y, const void* gamma,
                                                    const void* beta,
                                                    const fastnorm_norm_options* options);

/// Layer normalization: statistics over the last `normalized_rank` of any extents. gamma and beta
/// hold the product of those, or are null.
FASTNORM_API fastnorm_status fastnorm_layer_norm(const int64_t* extents, int32_t rank,
                                                 int32_t normalized_rank, const void* x, void* y,
                                                 const void* gamma, const void* beta,
                                                 const fastnorm_norm_options* options);

/// The same without mean and beta: y = x / sqrt(mean of x^2 + eps) * gamma.
FASTNORM_API fastnorm_status fastnorm_rms_norm(const int64_t* extents, int32_t rank,
                                               int32_t normalized_rank, const void* x, void* y,
                                               const void* gamma,
                                               const fastnorm_norm_options* options);

/// Any descriptor: what the functions above call. `options` may be null.
FASTNORM_API fastnorm_status fastnorm_normalize(const fastnorm_norm_desc* desc,
                                                const fastnorm_norm_args* args,
                                                fastnorm_stream stream,
                                                const fastnorm_plan_options* options);

/* The shapes that a program has met and that nobody has tuned */

/// A copy of the list as it was when it was made.
typedef struct fastnorm_untuned_list fastnorm_untuned_list;

/// Sets *list, which the caller owns (null on failure), to the shapes that had no entry of their
/// own in the tuning databases when this process made a plan for them, in the order in which it met
/// them: in fastnorm_plan_create, and in the functions without a plan where they had none yet. Each
/// counts once, however often it is met and whatever its strides, as long as a database would have
/// one entry for it. Not among them: plans that are forced, or by FASTNORM_TUNING_HEURISTIC;
/// tensors without elements, and those whose strides no dense tensor's entry would serve. After
/// 4096 of them no more are added.
///
/// With FASTNORM_RECORD=FILE in the environment at the first call, the same are added to that file
/// as the cases that "autotune --cases FILE" reads (see untuned.hpp for how it is written).
FASTNORM_API fastnorm_status fastnorm_untuned_list_create(fastnorm_untuned_list** list);

/// Null is let be.
FASTNORM_API void fastnorm_untuned_list_destroy(fastnorm_untuned_list* list);

/// 0 for a null list.
FASTNORM_API size_t fastnorm_untuned_list_size(const fastnorm_untuned_list* list);

/// Writes shape `index` as the first call that had it stated it. The caller has set
/// desc->struct_size, as fastnorm_norm_desc_init does: no more bytes than that are written. What
/// *desc points to is the list's, and ends with it.
/// Errors: invalid_argument (a null pointer, an index that is not below the size, a struct_size
/// that no version has had).
FASTNORM_API fastnorm_status fastnorm_untuned_list_desc(const fastnorm_untuned_list* list,
                                                        size_t index, fastnorm_norm_desc* desc);

/// Strings are the list's, and end with it; null for a null list or an index that is not below the
/// size.

/// What its plan runs on: "cuda", "kokkos-host", "kokkos-cuda".
FASTNORM_API const char* fastnorm_untuned_list_backend(const fastnorm_untuned_list* list,
                                                       size_t index);
/// What chose instead: bucket | nearest | same_arch | heuristic.
FASTNORM_API const char* fastnorm_untuned_list_served_by(const fastnorm_untuned_list* list,
                                                         size_t index);
/// What autotune has to be told, an item of a list in YAML: "{name: ..., op: ..., ...}". It is the
/// dense tensor whose entry would serve the call; whether there are gamma and beta, which a plan
/// does not know, is left at the operation's default.
FASTNORM_API const char* fastnorm_untuned_list_case_text(const fastnorm_untuned_list* list,
                                                         size_t index);

/* Whether the processes of a program choose alike */

/// Of the text: 64 hexadecimal digits and the null that ends it.
#define FASTNORM_SELECTION_DIGEST_SIZE 65

/// Writes a digest of what the library would run for `count` shapes into the
/// FASTNORM_SELECTION_DIGEST_SIZE chars at `digest` (an empty text on failure). shapes[i] points to
/// the i-th; null will do where count is 0. `options` may be null. Ranks of a program that get the
/// same digest choose alike, and so give the same bits where their strategies repeat them. In it
/// are the versions of library and kernels, each shape, and the back end, strategy and
/// configuration of its plan, or that there is none; neither the device nor where the choice comes
/// from, nor the order or repetition of the shapes. "autotune digest" prints it for its cases.
///
/// Each shape costs what fastnorm_plan_create does. Shapes asked for here have not been met as
/// fastnorm_untuned_list_create means it. Errors: invalid_argument (a null pointer), and those of
/// fastnorm_plan_create but for shapes that no strategy supports, with the place of the shape.
FASTNORM_API fastnorm_status fastnorm_selection_digest(const fastnorm_norm_desc* const* shapes,
                                                       size_t count,
                                                       const fastnorm_plan_options* options,
                                                       char* digest);

/* What a measurement was made with */

/// What a back end of this build runs on. Texts are the library's, for ever, and "" where there is
/// nothing to say.
typedef struct fastnorm_backend_info {
  size_t struct_size;
  fastnorm_memory memory;   ///< Host or device.
  int32_t processors;       ///< Streaming multiprocessors; threads on a host.
  const char* device_name;  ///< "NVIDIA H200", or the CPU's model.
  const char* host_space;   ///< Kokkos' on a host: "Serial", "OpenMP", "Threads".
  /// What the loops on a host are compiled for: the level that is chosen at run time ("x86-64-v4"),
  /// or what the whole build is for (FASTNORM_HOST_ARCH of the build, or "any").
  const char* instruction_set;
  const char* cuda_version;    ///< Of the runtime: "13.0".
  const char* kokkos_version;  ///< "4.4.01".
} fastnorm_backend_info;

/// As the other _init functions; all texts are null.
FASTNORM_API void fastnorm_backend_info_init(fastnorm_backend_info* info, size_t struct_size);

/// Describes the back end of that name ("cuda", "kokkos-host", "kokkos-cuda", as
/// fastnorm_plan_backend has it) on the device of that ordinal, or on the current one for -1. The
/// caller has set info->struct_size, as fastnorm_backend_info_init does: no more bytes than that
/// are written.
/// Errors: invalid_argument (a null pointer, a name, an ordinal or a FASTNORM_HOST_ISA that there
/// is not, with those that there are, a struct_size that no version has had), unavailable (no
/// device).
FASTNORM_API fastnorm_status fastnorm_backend_describe(const char* backend, int32_t device,
                                                       fastnorm_backend_info* info);

/// The library's version as "major.minor.patch"; FASTNORM_VERSION_MAJOR, _MINOR and _PATCH are the
/// header's. The text is the library's, for ever.
FASTNORM_API const char* fastnorm_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif
