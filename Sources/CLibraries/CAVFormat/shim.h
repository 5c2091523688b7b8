// libavformat is not linked but loaded where a container is asked for: it brings some hundred libraries, and most
// commands write none. Each function below calls those of libavformat, libavcodec and libavutil; `library` is what
// dlopen(3) gave for the first, which brings the other two.
#pragma once
#include <dlfcn.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <string.h>

#define AV(name) ((__typeof__(&name))dlsym(library, #name))

// Whether its structures are those of these headers: the same major versions, and no older ones, which know fewer
// fields. False for a library of another kind.
static inline int format_suits_headers(void *library) {
    const unsigned headers[] = {LIBAVFORMAT_VERSION_INT, LIBAVCODEC_VERSION_INT, LIBAVUTIL_VERSION_INT};
    unsigned (*const versions[])(void) = {AV(avformat_version), AV(avcodec_version), AV(avutil_version)};
    for (int index = 0; index < 3; index++) {
        if (!versions[index]) return 0;
        const unsigned version = versions[index]();
        if (version >> 16 != headers[index] >> 16 || version < headers[index] >> 8 << 8) return 0;
    }
    return 1;
}

// It writes to standard error otherwise.
static inline void format_be_quiet(void *library) { AV(av_log_set_level)(AV_LOG_QUIET); }

static inline int format_error_text(void *library, int error, char *text, size_t size) {
    return AV(av_strerror)(error, text, size);
}

// What the Matroska muxer adds to the times of sound that has a delay: since FFmpeg 6.0 it is handed the time of the
// first sample that a decoder gives, 6.5 ms early, and rounds. In the file stands the time of the first one encoded.
static inline int64_t format_added_delay(void) { return LIBAVFORMAT_VERSION_MAJOR > 59 ? 7 : 0; }

// NULL where the library is built without this muxer.
static inline AVFormatContext *format_new(void *library, const char *muxer) {
    AVFormatContext *context = NULL;
    return AV(avformat_alloc_output_context2)(&context, NULL, muxer, NULL) < 0 ? NULL : context;
}

static inline void format_free(void *library, AVFormatContext *context) {
    AVIOContext *output = context->pb;
    AV(avformat_free_context)(context);
    if (output) AV(av_freep)(&output->buffer);
    AV(avio_context_free)(&output);
}

typedef __typeof__(((AVIOContext *)0)->write_packet) format_write_function;

// What is written goes to `write`, in pieces of at most `size` bytes; `seek` takes offsets from the file's beginning
// (SEEK_SET) alone. False without memory.
static inline int format_set_output(
    void *library, AVFormatContext *context, int size, void *opaque, format_write_function write,
    int64_t (*seek)(void *, int64_t, int)) {
    unsigned char *buffer = AV(av_malloc)(size);
    context->pb = buffer ? AV(avio_alloc_context)(buffer, size, 1, opaque, NULL, write, seek) : NULL;
    if (!context->pb) AV(av_free)(buffer);
    return context->pb != NULL;
}

// A stream whose decoder begins with these bytes; NULL without memory.
static inline AVCodecParameters *format_add_stream(
    void *library, AVFormatContext *context, const unsigned char *bytes, int size) {
    AVStream *stream = AV(avformat_new_stream)(context, NULL);
    if (!stream) return NULL;
    stream->codecpar->extradata = AV(av_mallocz)((size_t)size + AV_INPUT_BUFFER_PADDING_SIZE);
    if (!stream->codecpar->extradata) return NULL;
    memcpy(stream->codecpar->extradata, bytes, size);
    stream->codecpar->extradata_size = size;
    return stream->codecpar;
}

static inline void format_set_channels(void *library, AVCodecParameters *parameters, int count) {
    AV(av_channel_layout_default)(&parameters->ch_layout, count);
}

// Negative on failure, as all below. What is in a cluster is written with its end.
static inline int format_begin(
    void *library, AVFormatContext *context, const char *application, int64_t cluster_milliseconds) {
    AVDictionary *options = NULL;
    AV(av_dict_set_int)(&options, "cluster_time_limit", cluster_milliseconds, 0);
    AV(av_dict_set)(&context->metadata, "encoding_tool", application, 0);
    int status = AV(avformat_init_output)(context, &options);
    AV(av_dict_free)(&options);
    if (status < 0) return status;
    // The library has put its own name there.
    AV(av_dict_set)(&context->metadata, "encoder", NULL, 0);
    status = AV(avformat_write_header)(context, NULL);
    AV(avio_flush)(context->pb);
    return status;
}

// Times in the stream's time base. The bytes are copied.
static inline int format_write(
    void *library, AVFormatContext *context, int stream, const unsigned char *bytes, int size, int64_t time,
    int64_t duration, int is_keyframe) {
    AVPacket *packet = AV(av_packet_alloc)();
    int status = packet ? AV(av_new_packet)(packet, size) : AVERROR(ENOMEM);
    if (status >= 0) {
        memcpy(packet->data, bytes, size);
        packet->stream_index = stream;
        packet->pts = packet->dts = time;
        packet->duration = duration;
        packet->flags = is_keyframe ? AV_PKT_FLAG_KEY : 0;
        status = AV(av_write_frame)(context, packet);
    }
    AV(av_packet_free)(&packet);
    AV(avio_flush)(context->pb);
    return status;
}

static inline int format_flush(void *library, AVFormatContext *context) {
    const int status = AV(av_write_frame)(context, NULL);
    AV(avio_flush)(context->pb);
    return status;
}

static inline int format_finish(void *library, AVFormatContext *context) {
    const int status = AV(av_write_trailer)(context);
    AV(avio_flush)(context->pb);
    return status;
}

#undef AV
